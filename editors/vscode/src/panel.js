// The warp view: a webview that shows the warp in focus whenever a session stops.

const vscode = require('vscode');
const { html, warp } = require('./warp');

/** Panel provides the view simtrun.warp. */
class Panel {
  /** @param {vscode.ExtensionContext} context */
  constructor(context) {
    this.context = context;
    this.expressions = context.workspaceState.get('expressions', []);
    this.body = '<p>The debugger has not stopped yet.</p>';
    this.asked = 0;
  }

  /** @param {vscode.WebviewView} view */
  resolveWebviewView(view) {
    this.view = view;
    view.webview.options = { enableScripts: false, localResourceRoots: [vscode.Uri.joinPath(this.context.extensionUri, 'media')] };
    view.onDidDispose(() => { this.view = undefined; });
    view.onDidChangeVisibility(() => this.refresh());
    this.refresh();
  }

  /** stopped notes that a session has stopped in a thread. */
  stopped(session, threadId) {
    this.session = session;
    this.threadId = threadId;
    return this.refresh();
  }

  /** focus notes which thread is selected in the editor. */
  focus(item) {
    if (item !== undefined && item.session.type === 'simtrun' && item.threadId !== undefined) {
      return this.stopped(item.session, item.threadId);
    }
  }

  /** ended notes that a session has ended. */
  ended(session) {
    if (this.session === session) {
      this.session = undefined;
    }
  }

  async add() {
    const expression = await vscode.window.showInputBox({ prompt: 'Expression that is shown in all lanes', placeHolder: 'sum, p[i], %r4' });
    if (expression) {
      await vscode.commands.executeCommand('simtrun.warp.focus'); // it may be hidden
      await this.show([...this.expressions, expression]);
    }
  }

  /** show replaces the expressions. */
  async show(expressions) {
    this.expressions = expressions;
    await this.context.workspaceState.update('expressions', expressions);
    await this.refresh();
  }

  /** refresh asks for the warp's state and shows it. An answer that comes after a later question is dropped. */
  async refresh() {
    const { session, threadId } = this;
    const mine = ++this.asked;
    if (session !== undefined && this.view !== undefined && this.view.visible) {
      try {
        const state = await warp((command, args) => session.customRequest(command, args), threadId, this.expressions);
        if (mine !== this.asked) {
          return;
        }
        this.body = html(state);
      } catch { /* the session runs again, or has ended */ }
    }
    this.draw();
  }

  draw() {
    if (this.view === undefined) {
      return;
    }
    const { webview } = this.view;
    const style = webview.asWebviewUri(vscode.Uri.joinPath(this.context.extensionUri, 'media', 'warp.css'));
    webview.html = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${webview.cspSource};">
<link rel="stylesheet" href="${style}"><title>Warp</title></head><body>${this.body}</body></html>`;
  }
}

module.exports = { Panel };
