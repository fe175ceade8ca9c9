'use strict';

/*
 * Max's side of a node.script, for tests: what the script sends out comes as JSON lines on stdout,
 * a line of JSON on stdin is a message to the script. Tells on a script that opens a listener.
 */

const dgram = require('dgram');
const net = require('net');
const readline = require('readline');

const handlers = new Map();

function record(entry) {
  process.stdout.write(`${JSON.stringify(entry)}\n`);
}

net.Server.prototype.listen = () => record({ listens: 'tcp' });
dgram.Socket.prototype.bind = () => record({ listens: 'udp' });

readline.createInterface({ input: process.stdin }).on('line', (line) => {
  const [message, ...args] = JSON.parse(line);
  handlers.get(message)(...args);
});

module.exports = {
  addHandler(message, handler) {
    handlers.set(message, handler);
  },
  outlet(...values) {
    record({ outlet: values });
    return Promise.resolve();
  },
  post(...values) {
    record({ post: values });
    return Promise.resolve();
  },
};
