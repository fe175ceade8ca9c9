'use strict';

/*
 * Reads the launcher's exports and calls its functions: a line [name, ...args] in, a line {value} or
 * {error} out.
 */

const readline = require('readline');

const launcher = require(process.argv[2]);

async function answer(line) {
  const [name, ...args] = JSON.parse(line);
  try {
    const item = launcher[name];
    return { value: typeof item === 'function' ? await item(...args) : item };
  } catch (error) {
    return { error: error.message };
  }
}

readline.createInterface({ input: process.stdin }).on('line', async (line) => {
  process.stdout.write(`${JSON.stringify(await answer(line))}\n`);
});
