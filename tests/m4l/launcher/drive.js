'use strict';

/* The launcher with other times, ports and limits than the real ones: drive.js LAUNCHER SETTINGS. */

const os = require('os');

const { SETTINGS, attach } = require(process.argv[2]);

attach(
  require('max-api'),
  { env: process.env, platform: process.platform, home: os.homedir() },
  Object.assign({}, SETTINGS, JSON.parse(process.argv[3]))
);
