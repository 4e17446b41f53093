// Takes the picture of docs/dap.md: follows that page's steps in a real VS Code, code-server, in a headless browser.
// README.md here says what it needs. SIMTRUN is the command simtrun, CODE_SERVER code-server's entry.js, CHROMIUM the
// browser, VSIX the packaged extension, and the argument the file of the picture.

const assert = require('node:assert');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { spawn, spawnSync } = require('node:child_process');
const { once } = require('node:events');
const puppeteer = require('puppeteer-core');

const port = 8000 + process.pid % 1000;
const source = path.join(__dirname, '..', '..', '..', 'docs', 'example', 'smooth.cu');
const simtrun = process.env.SIMTRUN || 'simtrun';
const vsix = process.env.VSIX || path.join(__dirname, '..', 'simtrun.vsix');
const chromium = process.env.CHROMIUM || '/usr/bin/chromium';
const server = process.env.CODE_SERVER || path.join(__dirname, 'node_modules', 'code-server', 'out', 'node', 'entry.js');

/** folders makes a workspace with the source, and a home of its own for VS Code. */
function folders() {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'simtrun-picture-'));
  const workspace = path.join(root, 'kernels');
  fs.mkdirSync(workspace);
  fs.copyFileSync(source, path.join(workspace, path.basename(source)));
  for (const of of ['User', 'Machine']) {
    fs.mkdirSync(path.join(root, 'data', of), { recursive: true });
  }
  // A setting of the machine is that of the server, not of the browser's user.
  fs.writeFileSync(path.join(root, 'data', 'Machine', 'settings.json'), JSON.stringify({ 'simtrun.path': simtrun }));
  fs.writeFileSync(path.join(root, 'data', 'User', 'settings.json'), JSON.stringify({
    'workbench.startupEditor': 'none',
    'workbench.tips.enabled': false,
    'window.commandCenter': false,
    'editor.minimap.enabled': false,
    'editor.quickSuggestions': { other: 'off', comments: 'off', strings: 'off' },
    'telemetry.telemetryLevel': 'off',
  }));
  return { root, workspace };
}

/** serve starts code-server with the extension, and waits until it answers. */
async function serve({ root, workspace }) {
  const own = ['--extensions-dir', path.join(root, 'extensions'), '--user-data-dir', path.join(root, 'data')];
  const env = { ...process.env, HOME: root };
  const installed = spawnSync(process.execPath, [server, '--install-extension', vsix, ...own], { env, encoding: 'utf8' });
  assert.match(installed.stdout, /successfully installed/, installed.stdout + installed.stderr);
  const child = spawn(process.execPath, [server, '--auth', 'none', '--bind-addr', `127.0.0.1:${port}`, '--disable-telemetry',
    '--disable-update-check', '--disable-workspace-trust', ...own, workspace], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  for (let text = ''; !text.includes('HTTP server listening');) {
    text += String((await once(child.stdout, 'data'))[0]);
  }
  return child;
}

/** within evaluates a function in a frame; undefined in one that has gone or has no document. */
async function within(frame, f) {
  try {
    return await frame.evaluate(f);
  } catch {
    return undefined;
  }
}

/** Editor presses keys in VS Code, and waits for what it shows. */
class Editor {
  constructor(page) { this.page = page; }

  async press(...keys) {
    for (const key of keys.slice(0, -1)) { await this.page.keyboard.down(key); }
    await this.page.keyboard.press(keys[keys.length - 1]);
    for (const key of keys.slice(0, -1)) { await this.page.keyboard.up(key); }
  }

  /** command carries out a command of the palette. */
  async command(name) {
    await this.press('F1');
    await this.page.waitForSelector('.quick-input-widget input', { visible: true });
    await this.page.keyboard.type(name);
    await this.page.waitForFunction((n) => document.querySelector('.quick-input-list .monaco-list-row')?.textContent.includes(n), {}, name);
    await this.press('Enter');
  }

  /** open opens a file of the explorer, and goes to a line. */
  async open(name, line) {
    const entry = await this.page.waitForSelector(`.explorer-folders-view [aria-label^="${name}"]`, { visible: true });
    await entry.click({ count: 2 });
    await this.page.waitForSelector('.monaco-editor .view-lines', { visible: true });
    await this.press('Control', 'g');
    await this.page.waitForSelector('.quick-input-widget input', { visible: true });
    await this.page.keyboard.type(String(line));
    await this.press('Enter');
    await this.page.waitForFunction((l) => document.querySelector('.statusbar').textContent.includes(`Ln ${l},`), {}, line);
  }

  /** shows reports whether an element is there, or will be in a second. */
  shows(selector) {
    return this.page.waitForSelector(selector, { timeout: 1000 }).then(() => true, () => false);
  }

  /** button presses a button. A click with the mouse fails if VS Code redraws the element meanwhile. */
  async button(selector) {
    await this.page.waitForSelector(selector, { visible: true });
    await this.page.$eval(selector, (e) => e.click());
  }

  /** show adds an expression to the warp view. The click takes the focus from that view, which keeps keys for itself. */
  async show(expression) {
    await this.page.click('.monaco-editor .view-lines', { offset: { x: 500, y: 330 } });
    await this.command('simtrun: Show in All Lanes…');
    await this.page.waitForFunction(() => document.querySelector('.quick-input-widget')?.textContent.includes('shown in all lanes'));
    await this.page.keyboard.type(expression);
    await this.press('Enter');
  }

  /** stopped waits until the debugger is at a line. */
  async stopped(line) {
    await this.page.waitForFunction((l) => {
      const frame = [...document.querySelectorAll('.debug-call-stack .stack-frame .line-number')].find((e) => e.offsetParent !== null);
      return frame !== undefined && frame.textContent.split(':')[0] === String(l);
    }, {}, line).catch((e) => { throw new Error(`the debugger is not at line ${line}: ${e.message}`); });
  }

  /** warp waits until the warp view has a text, and returns all of its text. */
  async warp(wanted) {
    for (let tries = 0; tries < 300; tries++) {
      for (const frame of this.page.frames()) {
        const text = await within(frame, () => document.querySelector('h1 ~ table') && document.body.innerText);
        if (text && text.includes(wanted)) { return text; }
      }
      await new Promise((done) => setTimeout(done, 100));
    }
    throw new Error(`the warp view does not show ${wanted}`);
  }
}

/** steps follows the page. */
async function steps(editor) {
  const { page } = editor;
  await page.waitForSelector('.monaco-workbench .activitybar', { visible: true });
  await editor.open('smooth.cu', 15);
  for (let tries = 0; !await editor.shows('.glyph-margin-widgets .codicon-debug-breakpoint, .margin-view-overlays [class*=codicon-debug-breakpoint]'); tries++) {
    assert.ok(tries < 30, 'no breakpoint is set'); // extensions may still be loading
    await editor.press('F9');
  }
  await editor.press('F5');
  await editor.stopped(7);
  await editor.press('F5');
  await editor.stopped(15);
  await editor.show('sum');
  await editor.warp('-1414812696');
  await editor.show('i');
  for (const line of [11, 14, 13]) {
    await editor.button('.debug-toolbar .codicon-debug-step-back');
    await editor.stopped(line);
  }
  await editor.warp('61');
  for (const place of ['.notifications-toasts', '.debug-variables']) {
    const shown = await page.evaluate((p) => document.querySelector(p)?.innerText || '', place);
    assert.doesNotMatch(shown, /is running|earlier stop/, `${place} shows an error`);
  }
  for (const frame of page.frames()) {
    await within(frame, () => document.querySelector('h1 ~ table tbody tr:last-child')?.scrollIntoView({ block: 'end' }));
  }
}

async function main() {
  const at = folders();
  const child = await serve(at);
  const browser = await puppeteer.launch({ executablePath: chromium, args: ['--no-sandbox', '--disable-gpu'], defaultViewport: { width: 1280, height: 1200 } });
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(60000);
    await page.goto(`http://127.0.0.1:${port}/?folder=${encodeURIComponent(at.workspace)}`);
    const began = Date.now();
    try {
      await steps(new Editor(page));
    } finally {
      await page.screenshot({ path: process.argv[2] || 'vscode.png' });
    }
    console.log(`the steps took ${Math.round((Date.now() - began) / 1000)} s`);
  } finally {
    await browser.close();
    child.kill();
    fs.rmSync(at.root, { recursive: true, force: true });
  }
}

main().catch((e) => { console.error(e); process.exit(1); });
