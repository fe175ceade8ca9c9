'use strict';

/*
 * Starts the MoveJudge backend from inside Max for Live and shows on the device whether it runs.
 *
 * Runs in a `node.script` object with `@autostart 0`: the Start button sends `script start`, and
 * loading this file is already the first start, because Max drops messages that arrive before the
 * handlers exist. Later presses send `start`; `probe` looks and reports again; `stop` ends the
 * backend if this launcher started it. Out comes `state <number> <text>`, only when it changes.
 *
 * CommonJS and nothing newer than Node 16, which Max 8.5 carries. Opens no listening socket.
 */

const childProcess = require('child_process');
const fs = require('fs');
const http = require('http');
const os = require('os');
const path = require('path');

const STATE = { NOT_STARTED: 0, STARTING: 1, RUNNING: 2, FAILED: 3 };

const SETTINGS = {
  httpPort: 9702,
  probeTimeoutMs: 1000,
  pollMs: 250,
  startTimeoutMs: 20000,
  stopTimeoutMs: 5000,
  watchMs: 3000,
  logLimitBytes: 256 * 1024,
};

const HOST = '127.0.0.1';
const SCHEMA_VERSION = 1;
const CONFIG_LIMIT_BYTES = 16 * 1024;
const STATUS_LIMIT_BYTES = 64 * 1024;
const TAIL_BYTES = 4096;
const TEXT_LIMIT = 120;
const ARGS_LIMIT = 32;
const MISSES_UNTIL_LOST = 2;
const INSTALL = 'run: movejudge install';

// What the backend exits with when another one holds the lock: success, or "busy".
const LOCK_TAKEN_CODES = [0, 5];

/** Text as Max can show it: one line, no control characters, bounded. */
function oneLine(text, limit = TEXT_LIMIT) {
  const line = String(text)
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
    .replace(/ {2,}/g, ' ')
    .trim();
  const characters = Array.from(line);
  return characters.length <= limit ? line : `${characters.slice(0, limit - 1).join('')}…`;
}

/** The folder that pybackend.config.state_folder gives for the same user. */
function stateFolder(env, platform, home) {
  if (env.MOVEJUDGE_HOME) {
    return env.MOVEJUDGE_HOME;
  }
  // Joined by hand: path.join would resolve "..", which the backend does not.
  if (platform === 'darwin') {
    return [home, 'Library', 'Application Support', 'MoveJudge'].join('/');
  }
  if (platform === 'win32') {
    return [env.LOCALAPPDATA || [home, 'AppData', 'Local'].join('\\'), 'MoveJudge'].join('\\');
  }
  return [env.XDG_STATE_HOME || [home, '.local', 'state'].join('/'), 'MoveJudge'].join('/');
}

function isAbsolute(file, platform) {
  // Node's own check accepts "\python.exe", which depends on the current drive.
  return platform === 'win32' ? /^([A-Za-z]:[\\/]|\\\\[^\\])/.test(file) : file.startsWith('/');
}

function isPort(value) {
  return Number.isInteger(value) && value >= 1 && value <= 65535;
}

function isArgument(value) {
  return typeof value === 'string' && !value.includes('\0');
}

/**
 * Check the text of launcher.json. Keys that schema version 1 does not name are ignored.
 *
 * @returns {{python: string, args: string[], httpPort: number}}
 * @throws {Error} With one line saying what is wrong.
 */
function parseConfig(text, platform) {
  let data;
  try {
    data = JSON.parse(text);
  } catch (error) {
    throw new Error('launcher.json is not JSON');
  }
  const check = (good, complaint) => {
    if (!good) {
      throw new Error(`launcher.json: ${complaint}`);
    }
  };
  check(data !== null && typeof data === 'object' && !Array.isArray(data), 'not an object');
  check(data.schema_version === SCHEMA_VERSION, `schema_version is not ${SCHEMA_VERSION}`);
  check(
    isArgument(data.python) && isAbsolute(data.python, platform),
    'python is not an absolute path'
  );
  check(
    Array.isArray(data.args) && data.args.length >= 1 && data.args.length <= ARGS_LIMIT,
    `args is not a list of 1 to ${ARGS_LIMIT} strings`
  );
  check(data.args.every(isArgument), 'args holds something that is not a string');
  check(isPort(data.udp_port), 'udp_port is not a port');
  check(isPort(data.http_port), 'http_port is not a port');
  return { python: data.python, args: data.args, httpPort: data.http_port };
}

function readBounded(file) {
  const stat = fs.statSync(file);
  // Asked before opening: a pipe by that name would block.
  if (!stat.isFile()) {
    throw new Error('launcher.json is not a file');
  }
  if (stat.size > CONFIG_LIMIT_BYTES) {
    throw new Error(`launcher.json is larger than ${CONFIG_LIMIT_BYTES} bytes`);
  }
  return fs.readFileSync(file);
}

/**
 * Read and check launcher.json in `folder`.
 *
 * @returns {{python: string, args: string[], httpPort: number} | null} null if there is no file.
 * @throws {Error} With one line saying what is wrong.
 */
function readConfig(folder, platform) {
  let bytes;
  try {
    bytes = readBounded(path.join(folder, 'launcher.json'));
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') {
      return null;
    }
    throw error.code ? new Error(`launcher.json cannot be read (${error.code})`) : error;
  }
  const text = bytes.toString('utf8');
  if (!Buffer.from(text, 'utf8').equals(bytes)) {
    throw new Error('launcher.json is not UTF-8');
  }
  const config = parseConfig(text, platform);
  if (!isFile(config.python)) {
    throw new Error(`no Python at ${config.python}`);
  }
  return config;
}

function isFile(file) {
  try {
    return fs.statSync(file).isFile();
  } catch (error) {
    return false;
  }
}

function identify(body) {
  try {
    const status = JSON.parse(body);
    if (status.app === 'movejudge') {
      const version = typeof status.version === 'string' ? oneLine(status.version, 40) : '';
      return { kind: 'running', version };
    }
  } catch (error) {
    // Falls through: whatever answered does not speak as the backend does.
  }
  return { kind: 'foreign', version: '' };
}

/**
 * Ask what listens on a local port.
 *
 * The kind is `running` (the backend), `free` (nobody), `silent` (takes connections, gives no
 * answer: perhaps a backend under way) or `foreign` (answers, and is somebody else).
 *
 * @returns {Promise<{kind: string, version: string}>} Never rejects.
 */
function probe(port, timeoutMs) {
  return new Promise((resolve) => {
    let connected = false;
    // Without an agent there is no pool: each probe is one connection, closed when it ends.
    const request = http.get({ host: HOST, port, path: '/status', agent: false });
    const finish = (found) => {
      clearTimeout(timer);
      request.destroy();
      resolve(found);
    };
    const noAnswer = () => finish({ kind: connected ? 'silent' : 'free', version: '' });
    // One clock over everything; also, Windows retries a refused connection for seconds.
    const timer = setTimeout(noAnswer, timeoutMs);
    request.on('socket', (socket) => {
      socket.once('connect', () => {
        connected = true;
      });
    });
    request.on('error', (error) => {
      if (String(error.code).startsWith('HPE_')) {
        finish({ kind: 'foreign', version: '' });
      } else {
        noAnswer();
      }
    });
    request.on('response', (response) => {
      const chunks = [];
      let length = 0;
      response.on('data', (chunk) => {
        length += chunk.length;
        chunks.push(chunk);
        if (length > STATUS_LIMIT_BYTES) {
          finish({ kind: 'foreign', version: '' });
        }
      });
      response.on('error', noAnswer);
      response.on('close', noAnswer);
      response.on('end', () => finish(identify(Buffer.concat(chunks).toString('utf8'))));
    });
  });
}

function sizeOf(file) {
  try {
    return fs.statSync(file).size;
  } catch (error) {
    return 0;
  }
}

/** Last line with text that was written to `file` from byte `offset` on, or ''. */
function lastLine(file, offset) {
  let descriptor;
  try {
    descriptor = fs.openSync(file, 'r');
  } catch (error) {
    return '';
  }
  try {
    const size = fs.fstatSync(descriptor).size;
    // A log shorter than it was has been emptied since.
    const start = Math.max(offset > size ? 0 : offset, size - TAIL_BYTES);
    const buffer = Buffer.alloc(size - start);
    const length = fs.readSync(descriptor, buffer, 0, buffer.length, start);
    const lines = buffer.slice(0, length).toString('utf8').split(/\r\n|\r|\n/);
    return oneLine(lines.reverse().find((line) => line.trim() !== '') || '');
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Empty the log if it has outgrown its limit; the backend only ever appends to it. */
function boundLog(file, limitBytes) {
  if (sizeOf(file) > limitBytes) {
    fs.truncateSync(file, 0);
  }
}

/** Environment for the backend: Live's, without what would lead its interpreter astray. */
function childEnvironment(env) {
  const clean = {};
  for (const [name, value] of Object.entries(env)) {
    if (!['PYTHONHOME', 'PYTHONPATH'].includes(name.toUpperCase())) {
      clean[name] = value;
    }
  }
  // "-m" would put the working folder on the module path, and people keep scripts at home.
  clean.PYTHONSAFEPATH = '1';
  clean.PYTHONIOENCODING = 'utf-8';
  return clean;
}

function endReason(code, signal, line) {
  if (code === null) {
    // What it wrote last is no reason here.
    return `backend killed by ${signal}`;
  }
  return line ? `exit code ${code}: ${line}` : `backend ended with exit code ${code}`;
}

/**
 * Start the backend as a process that outlives this one.
 *
 * @returns {{process: object, ended: null | string, code: null | number, log: string,
 *   logStart: number}} `ended` becomes one line of reason when it is gone.
 */
function spawnBackend(config, log, env, home) {
  const backend = { process: null, ended: null, code: null, log, logStart: sizeOf(log) };
  let descriptor = null;
  try {
    descriptor = fs.openSync(log, 'a', 0o600);
  } catch (error) {
    // A folder that cannot be written costs the reason of a failure, not the start.
  }
  const output = descriptor === null ? 'ignore' : descriptor;
  try {
    backend.process = childProcess.spawn(config.python, config.args, {
      cwd: home,
      detached: true,
      env: childEnvironment(env),
      stdio: ['ignore', output, output],
      windowsHide: true,
    });
  } catch (error) {
    backend.ended = oneLine(`cannot start Python: ${error.message}`);
    return backend;
  } finally {
    if (descriptor !== null) {
      fs.closeSync(descriptor);
    }
  }
  backend.process.on('error', (error) => {
    // Also raised when a signal cannot be sent, and then the process is still there.
    if (backend.process.pid === undefined) {
      backend.ended = oneLine(`cannot start Python: ${error.message}`);
    }
  });
  backend.process.on('exit', (code, signal) => {
    backend.code = code;
    backend.ended = endReason(code, signal, lastLine(log, backend.logStart));
  });
  backend.process.unref();
  return backend;
}

function sleep(durationMs) {
  return new Promise((resolve) => {
    setTimeout(resolve, durationMs);
  });
}

/** One device's view of the backend: starts it, watches it, tells Max. */
class Launcher {
  /**
   * @param {object} maxApi Max's module, of which `outlet` is used.
   * @param {{env: object, platform: string, home: string}} host The process's surroundings.
   * @param {object} settings Ports, times and limits as in SETTINGS.
   */
  constructor(maxApi, host, settings = SETTINGS) {
    this.maxApi = maxApi;
    this.host = host;
    this.settings = settings;
    this.folder = stateFolder(host.env, host.platform, host.home);
    this.log = path.join(this.folder, 'backend.log');
    this.port = settings.httpPort;
    this.backend = null;
    this.shown = null;
    this.misses = 0;
    this.starting = null;
    this.stopping = null;
    this.timer = null;
  }

  /** Start the backend unless one runs; presses during a start join it. */
  start() {
    if (this.starting === null) {
      this.starting = this.startOnce().finally(() => {
        this.starting = null;
      });
    }
    return this.starting;
  }

  /** End the backend that this launcher started; leave any other alone. */
  stop() {
    if (this.stopping === null) {
      this.stopping = this.stopOnce().finally(() => {
        this.stopping = null;
      });
    }
    return this.stopping;
  }

  /** Look now and report, changed or not. */
  async probe() {
    const before = this.shown;
    await this.look();
    if (before !== null && before === this.shown) {
      this.send(before);
    }
  }

  /** Look at a low rate for as long as the device is loaded. */
  watch() {
    this.timer = setInterval(() => this.guard(this.look()), this.settings.watchMs);
    // When Max is gone nothing else holds this process, and it ends.
    this.timer.unref();
  }

  guard(work) {
    return work.catch((error) => this.show(STATE.FAILED, `launcher: ${error.message}`));
  }

  show(number, text) {
    const line = oneLine(text);
    if (this.shown === null || this.shown.number !== number || this.shown.line !== line) {
      this.shown = { number, line };
      this.send(this.shown);
    }
  }

  send({ number, line }) {
    // Max may be closing; there is nobody left to tell.
    Promise.resolve(this.maxApi.outlet('state', number, line)).catch(() => {});
  }

  showRunning(version) {
    this.misses = 0;
    if (!this.alive()) {
      // Another one answers; how ours ended must not explain how that one ends.
      this.backend = null;
    }
    this.show(STATE.RUNNING, version ? `backend ${version} running` : 'backend running');
  }

  showForeign() {
    this.show(STATE.FAILED, `another program answers on port ${this.port}; close it, then Start`);
  }

  ask() {
    return probe(this.port, this.settings.probeTimeoutMs);
  }

  alive() {
    return this.backend !== null && this.backend.ended === null;
  }

  async startOnce() {
    if (this.stopping !== null) {
      await this.stopping;
    }
    let config = null;
    let problem = null;
    try {
      config = readConfig(this.folder, this.host.platform);
    } catch (error) {
      problem = `${error.message}; ${INSTALL}`;
    }
    this.port = config === null ? this.settings.httpPort : config.httpPort;
    const found = await this.ask();
    if (this.stopping !== null) {
      return;
    }
    if (found.kind === 'running') {
      this.showRunning(found.version);
    } else if (problem !== null) {
      this.show(STATE.FAILED, problem);
    } else if (config === null) {
      this.show(STATE.NOT_STARTED, INSTALL);
    } else if (found.kind === 'foreign') {
      this.showForeign();
    } else {
      this.show(STATE.STARTING, 'starting the backend');
      if (!this.alive()) {
        this.spawn(config);
      }
      await this.untilItAnswers();
    }
  }

  spawn(config) {
    this.boundLog();
    const backend = spawnBackend(config, this.log, this.host.env, this.host.home);
    this.backend = backend;
    if (backend.process !== null) {
      backend.process.once('exit', () => {
        if (this.starting === null && this.stopping === null) {
          this.guard(this.look());
        }
      });
    }
  }

  async untilItAnswers() {
    const deadline = Date.now() + this.settings.startTimeoutMs;
    const backend = this.backend;
    while (this.stopping === null) {
      // Taken before the probe, so that a backend which has just won elsewhere still counts.
      const ended = backend.ended !== null;
      const late = Date.now() >= deadline;
      const found = await this.ask();
      if (this.stopping !== null) {
        return;
      }
      if (found.kind === 'running') {
        this.showRunning(found.version);
        return;
      }
      if (found.kind === 'foreign') {
        this.showForeign();
        return;
      }
      if (ended && !LOCK_TAKEN_CODES.includes(backend.code)) {
        this.show(STATE.FAILED, backend.ended);
        return;
      }
      if (late) {
        this.show(STATE.FAILED, this.lateReason(backend));
        return;
      }
      await sleep(this.settings.pollMs);
    }
  }

  lateReason(backend) {
    const line = backend.ended || lastLine(backend.log, backend.logStart);
    const wait = `no answer within ${Math.round(this.settings.startTimeoutMs / 1000)} s`;
    return line ? `${wait}: ${line}` : wait;
  }

  async stopOnce() {
    if (this.starting !== null) {
      await this.starting;
    }
    if (!this.alive()) {
      const found = await this.ask();
      if (found.kind === 'running') {
        this.show(STATE.RUNNING, 'backend was not started here; it keeps running');
      } else {
        this.show(STATE.NOT_STARTED, 'backend not running');
      }
      return;
    }
    const backend = this.backend;
    backend.process.kill();
    const deadline = Date.now() + this.settings.stopTimeoutMs;
    while (backend.ended === null && Date.now() < deadline) {
      await sleep(this.settings.pollMs);
    }
    if (backend.ended === null) {
      this.show(STATE.FAILED, 'backend does not stop');
    } else {
      this.show(STATE.NOT_STARTED, 'backend stopped');
    }
  }

  async look() {
    this.boundLog();
    const found = await this.ask();
    if (this.starting !== null || this.stopping !== null) {
      return;
    }
    if (found.kind === 'running') {
      this.showRunning(found.version);
    } else if (this.shown !== null && this.shown.number === STATE.RUNNING) {
      this.missed(found);
    }
  }

  missed(found) {
    this.misses += 1;
    const ended = this.backend !== null && this.backend.ended !== null;
    if (found.kind === 'foreign') {
      this.showForeign();
    } else if (ended && this.backend.code === 0) {
      this.show(STATE.NOT_STARTED, 'backend has ended; press Start');
    } else if (ended) {
      this.show(STATE.FAILED, this.backend.ended);
    } else if (this.misses >= MISSES_UNTIL_LOST) {
      // One missed probe can be a busy machine.
      this.show(STATE.FAILED, 'backend lost; press Start');
    }
  }

  boundLog() {
    try {
      boundLog(this.log, this.settings.logLimitBytes);
    } catch (error) {
      // The log is a convenience; the backend runs without it.
    }
  }
}

/** Connect a launcher to Max, start the backend, keep watching. */
function attach(maxApi, host, settings = SETTINGS) {
  const launcher = new Launcher(maxApi, host, settings);
  for (const message of ['start', 'stop', 'probe']) {
    maxApi.addHandler(message, () => launcher.guard(launcher[message]()));
  }
  launcher.watch();
  launcher.guard(launcher.start());
  return launcher;
}

module.exports = {
  SETTINGS,
  STATE,
  Launcher,
  attach,
  boundLog,
  childEnvironment,
  lastLine,
  oneLine,
  parseConfig,
  probe,
  readConfig,
  stateFolder,
};

// Max names itself in MAX_ENV, and may load this file from a main module of its own.
if (require.main === module || process.env.MAX_ENV) {
  attach(require('max-api'), {
    env: process.env,
    platform: process.platform,
    home: os.homedir(),
  });
}
