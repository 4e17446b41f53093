// The test explorer: cases of simtrun test, which are sources with a golden file, and NAME.txtar.

const { execFile } = require('child_process');
const path = require('path');
const vscode = require('vscode');

/**
 * results returns the status of each case, by its path, of the output of simtrun test --json.
 * @param {string} output
 * @returns {Map<string, { status: string, problems: string[] }>}
 */
function results(output) {
  const all = new Map();
  for (const line of output.split('\n')) {
    if (!line.startsWith('{')) {
      continue;
    }
    const r = JSON.parse(line);
    if (r.case !== undefined) {
      all.set(r.case, { status: r.status, problems: (r.problems || []).map((p) => (typeof p === 'string' ? p : p.message || JSON.stringify(p))) });
    }
  }
  return all;
}

/** tests makes the controller of the test explorer. command returns the path of simtrun. */
function tests(command) {
  const controller = vscode.tests.createTestController('simtrun', 'simtrun test');

  const discover = async () => {
    const items = [];
    for (const golden of await vscode.workspace.findFiles('**/*.golden')) {
      const base = golden.fsPath.slice(0, -'.golden'.length);
      for (const suffix of ['.s', '.ptx', '.cu']) {
        const file = vscode.Uri.file(base + suffix);
        if (await exists(file)) {
          items.push(controller.createTestItem(file.fsPath, vscode.workspace.asRelativePath(file), file));
        }
      }
    }
    controller.items.replace(items);
  };
  controller.resolveHandler = (item) => (item === undefined ? discover() : undefined);
  controller.refreshHandler = discover;

  const run = (check) => async (request, token) => {
    const task = controller.createTestRun(request);
    const chosen = request.include || [...controller.items].map(([, item]) => item);
    for (const item of chosen.filter((i) => !(request.exclude || []).includes(i))) {
      if (token.isCancellationRequested) {
        break;
      }
      task.started(item);
      const { status, problems } = await one(command(), item.uri.fsPath, check, token);
      const messages = problems.map((p) => new vscode.TestMessage(p));
      if (status === 'pass') {
        task.passed(item);
      } else if (status === 'skip') {
        task.skipped(item);
      } else {
        task.failed(item, messages.length > 0 ? messages : [new vscode.TestMessage(status)]);
      }
    }
    task.end();
  };
  controller.createRunProfile('Run', vscode.TestRunProfileKind.Run, run([]), true);
  controller.createRunProfile('Run with all checks', vscode.TestRunProfileKind.Run, run(['--check', 'all']), false);
  return controller;
}

/** one runs a case. */
function one(command, file, check, token) {
  return new Promise((resolve) => {
    const child = execFile(command, ['test', '--json', ...check, path.basename(file)], { cwd: path.dirname(file), maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      const [first] = results(stdout).values();
      resolve(first || { status: 'error', problems: [stderr || (error ? error.message : 'simtrun test said nothing')] });
    });
    token.onCancellationRequested(() => child.kill());
  });
}

async function exists(file) {
  try {
    await vscode.workspace.fs.stat(file);
    return true;
  } catch {
    return false;
  }
}

module.exports = { results, tests };
