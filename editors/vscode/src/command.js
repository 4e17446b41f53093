// Finding the command simtrun, and what users read if it is not there.

const fs = require('fs');
const path = require('path');

/**
 * missing returns why a command cannot be started, or undefined if it can: it is a path of a file, or a name on the
 * search path.
 * @param {string} command
 * @param {NodeJS.ProcessEnv} env
 * @returns {string | undefined}
 */
function missing(command, env) {
  const isPath = /[/\\]/.test(command);
  const folders = isPath ? [''] : (env.PATH || env.Path || '').split(path.delimiter);
  const suffixes = process.platform === 'win32' ? ['', '.exe'] : [''];
  if (command !== '' && folders.some((folder) => suffixes.some((s) => executable(path.join(folder, command + s))))) {
    return undefined;
  }
  const where = isPath ? '' : ' on the PATH';
  return `The command "${command}" is not found${where}. Install simtrun, or put its path in the setting simtrun.path.`;
}

function executable(file) {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

module.exports = { missing };
