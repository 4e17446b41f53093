// The extension with a stand-in for VS Code: what it registers, and that its parts fit package.json.

const assert = require('node:assert');
const fs = require('node:fs');
const Module = require('node:module');
const path = require('node:path');
const { test } = require('node:test');

const root = path.join(__dirname, '..');
const manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));

/** recorder stands in for an API: a call of registerX or onX records its arguments, other names are functions or classes. */
const recorded = [];
const settings = { languageServer: false };
const record = (target) => new Proxy(function any() {}, {
  get: (_, name) => (name === Symbol.toPrimitive || name === 'then' ? undefined : record(`${target}.${String(name)}`)),
  apply: (_, self, args) => {
    recorded.push([target, ...args]);
    return target.endsWith('getConfiguration') ? { get: (key, other) => settings[key] ?? other } : record(`${target}()`);
  },
  construct: (_, args) => Object.assign(Object.create({}), { constructed: target, args }),
});
const load = Module._load;
Module._load = (name, ...rest) => {
  if (name === 'vscode') {
    return record('vscode');
  }
  return name.startsWith('vscode-languageclient') ? { LanguageClient: class {} } : load(name, ...rest);
};

const activate = () => require('../src/extension').activate({
  subscriptions: [], workspaceState: { get: (_, other) => other }, extensionUri: {},
});

test('what the manifest has is registered', async () => {
  await activate();
  const firsts = (name) => recorded.filter(([n]) => n.endsWith(name)).map(([, first]) => first);
  assert.deepStrictEqual(firsts('registerCommand').sort(), manifest.contributes.commands.map((c) => c.command).sort());
  assert.deepStrictEqual(firsts('registerWebviewViewProvider'), manifest.contributes.views.simtrun.map((v) => v.id));
  assert.deepStrictEqual(firsts('registerDebugAdapterDescriptorFactory'), manifest.contributes.debuggers.map((d) => d.type));
  assert.deepStrictEqual(firsts('registerTaskProvider'), manifest.contributes.taskDefinitions.map((d) => d.type));
});

test('a launch without simtrun shows an error with the command and the setting', async () => {
  const [, , provider] = recorded.find(([n]) => n.endsWith('registerDebugConfigurationProvider'));
  const resolve = (config) => {
    recorded.length = 0;
    const resolved = provider.resolveDebugConfigurationWithSubstitutedVariables(undefined, config);
    return [resolved, recorded.filter(([n]) => n.endsWith('showErrorMessage')).map(([, text]) => text)];
  };
  const config = { type: 'simtrun', request: 'launch', name: 'simtrun', program: 'k.s' };
  const before = settings.path;
  try {
    for (const command of ['simtrun-nowhere', path.join(root, 'nowhere', 'simtrun'), root, '']) {
      settings.path = command;
      const [resolved, [text, ...others]] = resolve(config);
      assert.strictEqual(resolved, undefined);
      assert.ok(text.includes(`"${command}"`) && text.includes('simtrun.path'), text);
      assert.deepStrictEqual(others, []);
      const elsewhere = { ...config, debugServer: 4711 };
      assert.deepStrictEqual(resolve(elsewhere), [elsewhere, []]);
    }
    for (const command of [process.execPath, path.basename(process.execPath)]) {
      settings.path = command;
      assert.deepStrictEqual(resolve(config), [config, []]);
    }
  } finally {
    settings.path = before;
  }
});

test('without simtrun the language server does not start, for which there is one error', async () => {
  const before = { ...settings };
  Object.assign(settings, { languageServer: true, path: 'simtrun-nowhere' });
  recorded.length = 0;
  try {
    await activate();
  } finally {
    Object.assign(settings, { path: undefined }, before);
  }
  const shown = recorded.filter(([n]) => /show\w+Message$/.test(n)).map(([, text]) => text);
  assert.strictEqual(shown.length, 1);
  assert.match(shown[0], /"simtrun-nowhere" is not found .*simtrun\.path/);
});

test('files of the manifest are there', () => {
  const { languages, grammars, snippets } = manifest.contributes;
  for (const file of [...languages.map((l) => l.configuration), ...grammars.map((g) => g.path), ...snippets.map((s) => s.path)]) {
    assert.ok(fs.existsSync(path.join(root, file)), file);
    JSON.parse(fs.readFileSync(path.join(root, file), 'utf8'));
  }
});

test('settings of a launch are those of the documentation', () => {
  const doc = fs.readFileSync(path.join(root, '..', '..', 'docs', 'dap.md'), 'utf8').split('\n## Requests')[0];
  const rows = doc.split('\n').filter((l) => /^\| `/.test(l) && !/`(Lane|Warp|Shared|Launch)/.test(l)).map((l) => l.split('|')[1]);
  const documented = rows.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map((m) => m[1])).filter((n) => n !== 'noDebug');
  const known = Object.keys(manifest.contributes.debuggers[0].configurationAttributes.launch.properties);
  assert.deepStrictEqual(known.sort(), [...new Set(documented)].sort());
});

test('a problem is found in the first line of a message', () => {
  const { regexp } = manifest.contributes.problemMatchers[0].pattern;
  const m = (line) => { const r = new RegExp(regexp).exec(line); return r && r.slice(1); };
  assert.deepStrictEqual(m('k.s:3:2: add.u32 has 2 operands; it takes d, a, b'), ['k.s', '3', '2', undefined, 'add.u32 has 2 operands; it takes d, a, b']);
  assert.deepStrictEqual(m('dir/k.s:24:28: warning: register %r9 is read'), ['dir/k.s', '24', '28', 'warning', 'register %r9 is read']);
  assert.strictEqual(m('    3 |  add.u32 %r1, %r1;'), null);
  assert.strictEqual(m('time    cycles 1625'), null);
});

test('results of simtrun test', () => {
  const { results } = require('../src/tests');
  const all = results('{"schema":"simtrun.test/v1","case":"a.s","status":"pass","problems":[]}\nnoise\n{"case":"b.s","status":"fail","problems":["output differs"]}\n');
  assert.deepStrictEqual([...all], [['a.s', { status: 'pass', problems: [] }], ['b.s', { status: 'fail', problems: ['output differs'] }]]);
});

test('arguments of tasks', () => {
  const { argumentsOf } = require('../src/tasks');
  assert.deepStrictEqual(argumentsOf({ command: 'check', file: 'k.s' }), ['run', '--check', 'all', 'k.s']);
  assert.deepStrictEqual(argumentsOf({ command: 'run', file: 'k.s', flags: ['--quiet'] }), ['run', '--quiet', 'k.s']);
});
