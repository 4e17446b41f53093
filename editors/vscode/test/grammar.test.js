// The grammar on the sources of programs/, and on lines whose colours are written out.

const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { test } = require('node:test');
const oniguruma = require('vscode-oniguruma');
const { INITIAL, Registry, parseRawGrammar } = require('vscode-textmate');

const root = path.join(__dirname, '..');
const programs = path.join(root, '..', '..', 'programs');

async function grammar() {
  await oniguruma.loadWASM(fs.readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm')).buffer);
  const file = path.join(root, 'syntaxes', 'ptx.tmLanguage.json');
  const registry = new Registry({
    onigLib: Promise.resolve({ createOnigScanner: (s) => new oniguruma.OnigScanner(s), createOnigString: (s) => new oniguruma.OnigString(s) }),
    loadGrammar: async () => parseRawGrammar(fs.readFileSync(file, 'utf8'), file),
  });
  return registry.loadGrammar('source.ptx');
}

const loaded = grammar();

/** tokens returns the text and innermost scope of the tokens of each line, without white space. */
async function tokens(text) {
  const g = await loaded;
  let state = INITIAL;
  return text.split('\n').map((line) => {
    const r = g.tokenizeLine(line, state);
    state = r.ruleStack;
    return r.tokens
      .map((t) => ({ text: line.slice(t.startIndex, t.endIndex), scope: t.scopes[t.scopes.length - 1].replace(/\.ptx$/, '') }))
      .filter((t) => t.text.trim() !== '');
  });
}

/** spelt leaves out what has no colour: punctuation. */
const spelt = (line) => line.filter((t) => t.scope !== 'source').map((t) => `${t.text.trim()}=${t.scope}`);

test('lines', async () => {
  for (const [line, want] of [
    ['//sim:grid 4', ['//=punctuation.definition.comment', 'sim:=keyword.other.header', 'grid=keyword.control.header', '4=string.unquoted.header']],
    ['// text', ['// text=comment.line.double-slash']],
    ['\t@!%p1 bra DONE;', ['@=keyword.control.guard', '!=keyword.operator.not', '%p1=variable.other.predicate', 'bra=support.function.opcode', 'DONE=variable.other.name']],
    ['LOOP:', ['LOOP=entity.name.label', ':=punctuation.separator.label']],
    ['\tld.global.u32 %r1, [%rd1+4];', ['ld=support.function.opcode', '.global=storage.modifier', '.u32=storage.type', '%r1=variable.other.register',
      '%rd1=variable.other.register', '4=constant.numeric.decimal']],
    ['\tmov.f32 %f1, 0f3F800000;', ['mov=support.function.opcode', '.f32=storage.type', '%f1=variable.other.register', '0f3F800000=constant.numeric.float.bits']],
    ['\tmov.u32 %r1, %tid.x;', ['mov=support.function.opcode', '.u32=storage.type', '%r1=variable.other.register', '%tid.x=variable.language.special']],
    ['\tret;', ['ret=support.function.opcode']],
    ['\t.shared .align 4 .b32 tile[32];', ['.shared=storage.modifier.space', '.align=keyword.control.directive', '4=constant.numeric.decimal', '.b32=storage.type', 'tile=variable.other.name',
      '32=constant.numeric.decimal']],
    ['\tmbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0;', ['mbarrier=support.function.opcode', '.try_wait=storage.modifier', '.parity=storage.modifier', '.shared=storage.modifier',
      '::cta=storage.modifier', '.b64=storage.type', '%p1=variable.other.register', 'bar=variable.other.name', '0=constant.numeric.decimal']],
  ]) {
    const [got] = await tokens(line);
    assert.deepStrictEqual(spelt(got), want, line);
  }
});

test('programs', async () => {
  let instructions = 0;
  for (const name of fs.readdirSync(programs).filter((n) => n.endsWith('.s'))) {
    const text = fs.readFileSync(path.join(programs, name), 'utf8');
    const lines = text.split('\n');
    (await tokens(text)).forEach((line, i) => {
      const where = `${name}:${i + 1}: ${lines[i]}`;
      for (const t of line) {
        assert.ok(t.scope !== 'source' || !/\w/.test(t.text), `${where}: "${t.text}" has no colour`);
      }
      // An instruction on a line of its own, perhaps with a guard: its first word is the opcode.
      const m = /^\s+(?:@!?%\w+\s+)?([a-z]\w*)(?:[.:]+\w+)*(?:\s[^:]*)?;/.exec(lines[i].replace(/\/\/.*/, ''));
      if (m !== null) {
        instructions++;
        assert.ok(line.some((t) => t.text === m[1] && t.scope === 'support.function.opcode'), `${where}: ${spelt(line)}`);
      }
    });
  }
  assert.ok(instructions > 1000, `${instructions} instructions`);
});

test('snippets', async () => {
  const snippets = JSON.parse(fs.readFileSync(path.join(root, 'snippets', 'ptx.json'), 'utf8'));
  for (const [name, { body }] of Object.entries(snippets)) {
    const text = body.join('\n').replace(/\$\{\d+:([^}]*)\}/g, '$1').replace(/\$\d/g, '');
    for (const t of (await tokens(text)).flat()) {
      assert.ok(t.scope !== 'source' || !/\w/.test(t.text), `${name}: "${t.text}" has no colour`);
    }
  }
});
