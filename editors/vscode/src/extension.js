// The extension for VS Code: it starts simtrun dap and simtrun lsp, and adds the warp view, tasks and tests.

const vscode = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');
const { missing } = require('./command');
const { Panel } = require('./panel');
const tasks = require('./tasks');
const { tests } = require('./tests');

/** @type {LanguageClient | undefined} */
let client;

/** simtrun returns the command of the settings. */
function simtrun() {
  return vscode.workspace.getConfiguration('simtrun').get('path', 'simtrun');
}

/** configurations completes configurations of launches, also those that have nothing yet. */
const configurations = {
  provideDebugConfigurations() {
    return [launch('${file}')];
  },
  resolveDebugConfiguration(folder, config) {
    if (config.type || config.request || config.name) {
      return config;
    }
    const editor = vscode.window.activeTextEditor;
    return editor === undefined ? undefined : launch(editor.document.fileName);
  },
  resolveDebugConfigurationWithSubstitutedVariables(folder, config) {
    return config.debugServer === undefined && !found() ? undefined : config;
  },
};

/** found reports whether simtrun is there; otherwise it shows an error. */
function found() {
  const why = missing(simtrun(), process.env);
  if (why !== undefined) {
    offerSetting(why);
  }
  return why === undefined;
}

/** offerSetting shows an error about the command simtrun, with a button that opens its setting. */
async function offerSetting(text) {
  if (await vscode.window.showErrorMessage(text, 'Open Setting') !== undefined) {
    vscode.commands.executeCommand('workbench.action.openSettings', 'simtrun.path');
  }
}

function launch(program) {
  return { type: 'simtrun', request: 'launch', name: 'simtrun', program, stopOnEntry: true, stopAtEnd: true };
}

/** debug debugs a kernel of a source; without arguments, the source in the active editor. */
function debug(file, kernel) {
  const launch = { type: 'simtrun', request: 'launch', name: 'simtrun', program: '${file}', stopOnEntry: true, stopAtEnd: true };
  return vscode.debug.startDebugging(undefined, typeof kernel === 'string' ? { ...launch, program: file, kernel } : launch);
}

/** @param {vscode.ExtensionContext} context */
async function activate(context) {
  const panel = new Panel(context);
  context.subscriptions.push(
    vscode.debug.registerDebugAdapterDescriptorFactory('simtrun', {
      createDebugAdapterDescriptor: () => new vscode.DebugAdapterExecutable(simtrun(), ['dap']),
    }),
    vscode.debug.registerDebugConfigurationProvider('simtrun', configurations),
    vscode.debug.registerDebugAdapterTrackerFactory('simtrun', {
      createDebugAdapterTracker: (session) => ({
        onDidSendMessage(message) {
          if (message.type === 'event' && message.event === 'stopped') {
            panel.stopped(session, message.body.threadId);
          }
        },
      }),
    }),
    vscode.debug.onDidTerminateDebugSession((session) => panel.ended(session)),
    vscode.debug.onDidChangeActiveStackItem((item) => panel.focus(item)),
    vscode.window.registerWebviewViewProvider('simtrun.warp', panel),
    vscode.commands.registerCommand('simtrun.warp.add', () => panel.add()),
    vscode.commands.registerCommand('simtrun.warp.clear', () => panel.show([])),
    vscode.commands.registerCommand('simtrun.debug', debug),
    vscode.tasks.registerTaskProvider('simtrun', tasks.provider(simtrun)),
    tests(simtrun),
  );
  for (const id of Object.keys(tasks.commands)) {
    context.subscriptions.push(vscode.commands.registerCommand(id, (file, kernel) => tasks.run(simtrun, id, file, kernel)));
  }
  if (vscode.workspace.getConfiguration('simtrun').get('languageServer', true) && found()) {
    client = new LanguageClient('simtrun', 'simtrun', { command: simtrun(), args: ['lsp'] }, { documentSelector: [{ language: 'ptx' }] });
    try {
      await client.start();
    } catch (e) {
      vscode.window.showWarningMessage(`simtrun lsp does not start (setting simtrun.path): ${e.message || e}`);
    }
  }
}

function deactivate() {
  return client && client.stop();
}

module.exports = { activate, deactivate };
