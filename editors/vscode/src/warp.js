// What the warp view shows, asked of a debug session and made into HTML. It does not use VS Code's API.

/**
 * @typedef {(command: string, args: object) => Promise<any>} Request sends a request of the Debug Adapter Protocol
 *   and returns the body of the response.
 * @typedef {{ expression: string, type: string, values: (string | undefined)[], error?: string }} Column values by lane
 * @typedef {{ title: string, columns: Column[], pages: { title: string, text: string }[] }} Warp
 */

const lanes = 32;

/** Commands of the debugger whose output is below the table. */
const pages = [
  ['Lanes', 'info lanes'],
  ['Reconvergence', 'info stack'],
  ['Warps', 'info warps'],
  ['Barriers', 'info barriers'],
];

/**
 * warp asks for the state of the warp of a thread: expressions in all lanes, or all variables of the warp if there are
 * no expressions.
 * @param {Request} request
 * @param {number} threadId
 * @param {string[]} expressions
 * @returns {Promise<Warp>}
 */
async function warp(request, threadId, expressions) {
  const [{ threads }, { stackFrames }] = await Promise.all([
    request('threads', {}),
    request('stackTrace', { threadId, levels: 1 }),
  ]);
  const frame = stackFrames[0];
  const thread = threads.find((t) => t.id === threadId);
  const columns = frame === undefined ? [] : await (expressions.length > 0
    ? Promise.all(expressions.map((e) => evaluated(request, frame.id, e)))
    : variables(request, frame.id));
  const below = [];
  for (const [title, command] of frame === undefined ? [] : pages) { // without a frame the launches have ended
    try {
      const { result } = await request('evaluate', { expression: command, frameId: frame.id, context: 'repl' });
      below.push({ title, text: result });
    } catch { /* the launch has no such thing now */ }
  }
  return { title: thread === undefined ? '' : `${thread.name}${frame ? `, ${frame.name}:${frame.line}` : ''}`, columns, pages: below };
}

/** evaluated returns the column of an expression. */
async function evaluated(request, frameId, expression) {
  try {
    const { result, type, variablesReference } = await request('evaluate', { expression, frameId, context: 'watch' });
    const values = variablesReference > 0 ? await rows(request, variablesReference) : Array(lanes).fill(result);
    return { expression, type: type || '', values };
  } catch (e) {
    return { expression, type: '', values: Array(lanes).fill(undefined), error: e.message };
  }
}

/** variables returns the columns of all variables of a frame's warp. */
async function variables(request, frameId) {
  const { scopes } = await request('scopes', { frameId });
  const scope = scopes.find((s) => s.name.startsWith('Warp'));
  if (scope === undefined) {
    return [];
  }
  const { variables } = await request('variables', { variablesReference: scope.variablesReference });
  return Promise.all(variables.filter((v) => v.variablesReference > 0).map(async (v) => ({
    expression: v.evaluateName || v.name, type: v.type || '', values: await rows(request, v.variablesReference),
  })));
}

/** rows returns values by lane. A lane that does not exist or that has ended has none. */
async function rows(request, variablesReference) {
  const values = Array(lanes).fill(undefined);
  const { variables } = await request('variables', { variablesReference });
  for (const v of variables) {
    const lane = /^lane (\d+)$/.exec(v.name);
    if (lane !== null && Number(lane[1]) < lanes) {
      values[Number(lane[1])] = v.value;
    }
  }
  return values;
}

/**
 * active returns for each lane whether it is active, by the mask that "info warps" has for the warp in focus.
 * @param {Warp} w
 * @returns {boolean[]}
 */
function active(w) {
  const page = w.pages.find((p) => p.title === 'Warps');
  const m = page === undefined ? null : /^\* w\d+\s+([0-9a-f]{8})\b/m.exec(page.text);
  const mask = m === null ? 0 : parseInt(m[1], 16);
  return Array.from({ length: lanes }, (_, lane) => (mask >>> lane) % 2 === 1);
}

/** escaped returns text as HTML. */
function escaped(text) {
  return String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}

/**
 * html returns the body of the view.
 * @param {Warp} w
 */
function html(w) {
  const is = active(w);
  const head = w.columns.map((c) => `<th scope="col" title="${escaped(c.error || c.type)}">${escaped(c.expression)}</th>`).join('');
  const body = is.map((on, lane) => {
    const cells = w.columns.map((c) => {
      const v = c.values[lane];
      return `<td>${v === undefined ? '' : escaped(v)}</td>`;
    }).join('');
    return `<tr class="${on ? 'on' : 'off'}"><th scope="row">${lane}<span class="sr">${on ? ' active' : ' inactive'}</span></th>${cells}</tr>`;
  }).join('');
  const errors = w.columns.filter((c) => c.error).map((c) => `<p class="error">${escaped(c.expression)}: ${escaped(c.error)}</p>`).join('');
  const below = w.pages.map((p) => `<h2>${escaped(p.title)}</h2><pre>${escaped(p.text)}</pre>`).join('');
  return `<h1>${escaped(w.title)}</h1>${errors}<table><thead><tr><th scope="col">lane</th>${head}</tr></thead><tbody>${body}</tbody></table>${below}`;
}

module.exports = { active, escaped, html, warp };
