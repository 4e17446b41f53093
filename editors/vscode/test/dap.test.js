// simtrun dap, driven by a client that others have made, and the warp view on what it answers.
// SIMTRUN is the command; without it simtrun of the path is tested.

const assert = require('node:assert');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const { afterEach, beforeEach, test } = require('node:test');
const { DebugClient } = require('@vscode/debugadapter-testsupport');
const { active, html, warp } = require('../src/warp');

const programs = path.join(__dirname, '..', '..', '..', 'programs');
const ifElse = path.join(programs, 'if_else.s');

/** lineOf returns the first line of a file that has a text. */
const lineOf = (file, text) => fs.readFileSync(file, 'utf8').split('\n').findIndex((l) => l.includes(text)) + 1;

const simtrun = process.env.SIMTRUN || 'simtrun';

/** written writes a source into a new folder and returns its path. */
function written(text) {
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'simtrun-')), 'k.s');
  fs.writeFileSync(file, text);
  return file;
}

let dc;
beforeEach(() => {
  dc = new DebugClient(simtrun, 'dap', 'simtrun');
  return dc.start();
});
afterEach(() => dc.stop());

/** begin launches a program, with breakpoints at lines of it, and returns where it stops first. */
async function begin(program, lines, settings) {
  const stopped = dc.waitForEvent('stopped');
  await Promise.all([
    dc.waitForEvent('initialized').then(async () => {
      const { body } = await dc.setBreakpointsRequest({ source: { path: program }, breakpoints: lines.map((line) => ({ line })) });
      assert.ok(body.breakpoints.every((b) => b.verified), JSON.stringify(body));
      return dc.configurationDoneRequest();
    }),
    dc.launch({ program, ...settings }),
    stopped,
  ]);
  return (await stopped).body;
}

/** move sends a request after which the warp stops again. */
async function move(request) {
  const [stopped] = await Promise.all([dc.waitForEvent('stopped'), request]);
  return stopped.body;
}

const lineNow = async (threadId) => (await dc.stackTraceRequest({ threadId })).body.stackFrames[0].line;

test('a breakpoint is hit', () => dc.hitBreakpoint({ program: ifElse }, { path: ifElse, line: lineOf(ifElse, 'shr.u32') }));

test('a program runs to its end', async () => {
  await Promise.all([dc.configurationSequence(), dc.launch({ program: ifElse }), dc.waitForEvent('terminated'), dc.waitForEvent('exited').then((e) => assert.strictEqual(e.body.exitCode, 0))]);
});

test('a program with a mistake is refused', async () => {
  const program = written('.entry k()\n{\n\tadd.u32 %r1, %r1;\n\tret;\n}\n');
  await assert.rejects(dc.launch({ program }), /add\.u32 has 2 operands/);
});

test('steps go forwards and back', async () => {
  const { threadId } = await begin(ifElse, [lineOf(ifElse, 'DONE;')], {});
  const at = await lineNow(threadId);
  await move(dc.nextRequest({ threadId }));
  const after = await lineNow(threadId);
  assert.notStrictEqual(after, at);
  await move(dc.stepBackRequest({ threadId }));
  assert.strictEqual(await lineNow(threadId), at);
  await move(dc.reverseContinueRequest({ threadId }));
  assert.ok((await lineNow(threadId)) < at);
});

test('the warp view shows lanes that diverge', async () => {
  const { threadId } = await begin(ifElse, [lineOf(ifElse, 'shr.u32')], {});
  const w = await warp((command, args) => dc.send(command, args).then((r) => r.body), threadId, ['%tid.x', '%p9', '%tid.x*2']);
  assert.match(w.title, /^block \(0,0,0\) warp 0, if_else:\d+$/);
  const [lane, unknown, twice] = w.columns;
  assert.deepStrictEqual(lane.values, Array.from({ length: 32 }, (_, i) => String(i)));
  assert.deepStrictEqual(twice.values, Array.from({ length: 32 }, (_, i) => String(2 * i)));
  assert.match(unknown.error, /%p9/);
  assert.deepStrictEqual(active(w), Array.from({ length: 32 }, (_, i) => i % 2 === 0)); // shr halves even numbers
  const text = html(w);
  assert.strictEqual(text.match(/<tr class="on">/g).length, 16);
  assert.strictEqual(text.match(/<tr class="off">/g).length, 16);
  assert.match(text, /<h2>Reconvergence<\/h2>/);
});

test('the warp view shows all variables of a warp', async () => {
  const { threadId } = await begin(ifElse, [lineOf(ifElse, 'shr.u32')], {});
  const w = await warp((command, args) => dc.send(command, args).then((r) => r.body), threadId, []);
  assert.ok(w.columns.some((c) => c.expression === '%p1' || c.expression.startsWith('%r')), w.columns.map((c) => c.expression).join());
});

test('a long motion reports progress until it is paused', async () => {
  const program = written('.entry k()\n{\n\tmov.u64 %rd1, 0;\nL:\n\tadd.u64 %rd1, %rd1, 1;\n\tsetp.lt.u64 %p1, %rd1, 1000000000000;\n\t@%p1 bra L;\n\tret;\n}\n');
  await dc.initializeRequest({ adapterID: 'simtrun', linesStartAt1: true, columnsStartAt1: true, pathFormat: 'path', supportsProgressReporting: true });
  const stopped = dc.waitForEvent('stopped');
  await Promise.all([
    dc.waitForEvent('initialized').then(() => dc.configurationDoneRequest()),
    dc.launchRequest({ program, stopOnEntry: true, flags: ['--max-steps', '1e15'] }),
    stopped,
  ]);
  const { threadId } = (await stopped).body;
  const started = dc.waitForEvent('progressStart');
  await dc.continueRequest({ threadId });
  const { progressId, title } = (await started).body;
  assert.strictEqual(title, 'simtrun');
  const [ended, paused] = await Promise.all([dc.waitForEvent('progressEnd'), dc.waitForEvent('stopped'), dc.pauseRequest({ threadId })]);
  assert.strictEqual(ended.body.progressId, progressId);
  assert.strictEqual(paused.body.reason, 'pause');
});

test('sessions over TCP are apart from each other', async () => {
  const server = spawn(simtrun, ['dap', '--listen', '127.0.0.1:0'], { stdio: ['ignore', 'ignore', 'pipe'] });
  const clients = [];
  try {
    const [said] = await once(server.stderr, 'data');
    const port = Number(/127\.0\.0\.1:(\d+)/.exec(String(said))[1]);
    for (const line of [lineOf(ifElse, 'shr.u32'), lineOf(ifElse, 'DONE;')]) {
      const client = new DebugClient(simtrun, 'dap', 'simtrun');
      clients.push(client);
      await client.start(port);
      await client.hitBreakpoint({ program: ifElse }, { path: ifElse, line });
    }
    const { body } = await clients[0].stackTraceRequest({ threadId: 1 });
    assert.strictEqual(body.stackFrames[0].line, lineOf(ifElse, 'shr.u32'));
  } finally {
    await Promise.all(clients.map((c) => c.stop()));
    server.kill();
  }
});

test('names cannot become elements', () => {
  const text = html({ title: '<img src=x>', columns: [{ expression: '<script>', type: '"', values: ['<b>&'] }], pages: [{ title: 'a', text: '</pre><script>' }] });
  assert.doesNotMatch(text, /<script|<img|<b>/);
});
