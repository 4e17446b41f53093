// Tasks and commands that run simtrun on a source.

const path = require('path');
const vscode = require('vscode');

/** commands are simtrun's commands on one source, by the editor's command. */
const commands = { 'simtrun.run': 'run', 'simtrun.check': 'check', 'simtrun.profile': 'profile' };

/**
 * argumentsOf returns simtrun's arguments for a task.
 * @param {{ command: string, file: string, flags?: string[] }} definition
 */
function argumentsOf({ command, file, flags = [] }) {
  return command === 'check' ? ['run', '--check', 'all', ...flags, file] : [command, ...flags, file];
}

/** task makes a task. */
function task(simtrun, definition, scope) {
  const execution = new vscode.ProcessExecution(simtrun, argumentsOf(definition), { cwd: path.dirname(definition.file) });
  const name = `${definition.command} ${path.basename(definition.file)}`;
  return new vscode.Task({ type: 'simtrun', ...definition }, scope, name, 'simtrun', execution, ['$simtrun']);
}

/** provider provides tasks for the source in the active editor. */
function provider(simtrun) {
  return {
    provideTasks() {
      const editor = vscode.window.activeTextEditor;
      if (editor === undefined || !/\.(s|ptx|cu)$/.test(editor.document.fileName)) {
        return [];
      }
      return ['run', 'check', 'profile'].map((command) => task(simtrun(), { command, file: editor.document.fileName }, vscode.TaskScope.Workspace));
    },
    resolveTask(given) {
      return task(simtrun(), given.definition, given.scope || vscode.TaskScope.Workspace);
    },
  };
}

/** run runs a command on a kernel of a source or, without one, on the source in the active editor. */
function run(simtrun, id, file, kernel) {
  if (typeof kernel === 'string') {
    return vscode.tasks.executeTask(task(simtrun(), { command: commands[id], file, flags: ['--kernel', kernel] }, vscode.TaskScope.Workspace));
  }
  const editor = vscode.window.activeTextEditor;
  if (editor !== undefined) {
    return vscode.tasks.executeTask(task(simtrun(), { command: commands[id], file: editor.document.fileName }, vscode.TaskScope.Workspace));
  }
}

module.exports = { argumentsOf, commands, provider, run };
