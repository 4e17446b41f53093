// Colours of PTX and CUDA C++: enough to read by, not a grammar.
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { tags } from "@lezer/highlight";

function comments(stream, state) {
	if (state.inside || stream.match("/*")) {
		state.inside = !stream.match(/^.*?\*\//);
		if (state.inside) stream.skipToEnd();
		return "comment";
	}
	if (stream.match(/^\/\/(sim|SIM):.*/)) return "meta";
	if (stream.match("//")) {
		stream.skipToEnd();
		return "comment";
	}
	return null;
}

const start = () => ({ inside: false });
const copyState = (s) => ({ ...s });

const ptx = StreamLanguage.define({
	name: "ptx",
	startState: start,
	copyState,
	token(stream, state) {
		if (stream.eatSpace()) return null;
		const comment = comments(stream, state);
		if (comment) return comment;
		if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) return "string";
		if (stream.match(/^[%$][\w$]+(\.[xyzw])?/)) return "variableName";
		if (stream.match(/^@!?/)) return "operator";
		if (stream.match(/^\.[a-z][\w:]*/)) return "typeName";
		if (stream.match(/^0[xXfFdD][0-9a-fA-F]+U?|^\d+(\.\d+)?U?/)) return "number";
		if (stream.match(/^[A-Za-z_$][\w$]*:(?!:)/)) return "labelName";
		if (stream.match(/^[a-z][a-z0-9_]*(?=[.\s;])/)) return "keyword";
		if (stream.match(/^[\w$]+/)) return null;
		stream.next();
		return null;
	},
	languageData: { commentTokens: { line: "//" } },
});

const words = new Set(("alignas auto bool break case char class const constexpr continue default do double else enum extern false float for goto if inline int long " +
	"namespace new return short signed sizeof static struct switch template this true typedef typename union unsigned using void volatile while").split(" "));

const cuda = StreamLanguage.define({
	name: "cuda",
	startState: start,
	copyState,
	token(stream, state) {
		if (stream.eatSpace()) return null;
		const comment = comments(stream, state);
		if (comment) return comment;
		if (stream.sol() && stream.match(/^#\s*\w+/)) return "meta";
		if (stream.match(/^"(?:[^"\\]|\\.)*"?|^'(?:[^'\\]|\\.)*'?/)) return "string";
		if (stream.match(/^__\w+__/)) return "typeName";
		if (stream.match(/^(0[xX][0-9a-fA-F]+|\d+(\.\d*)?([eE][-+]?\d+)?)[uUlLfF]*/)) return "number";
		const word = stream.match(/^[A-Za-z_]\w*/);
		if (word) return words.has(word[0]) ? "keyword" : /^(thread|block)(Idx|Dim)|^gridDim/.test(word[0]) ? "variableName" : null;
		stream.next();
		return null;
	},
	languageData: { commentTokens: { line: "//" } },
});

const style = HighlightStyle.define([
	{ tag: tags.comment, class: "tok-comment" },
	{ tag: tags.meta, class: "tok-meta" },
	{ tag: tags.keyword, class: "tok-keyword" },
	{ tag: tags.typeName, class: "tok-type" },
	{ tag: tags.variableName, class: "tok-name" },
	{ tag: tags.number, class: "tok-number" },
	{ tag: tags.string, class: "tok-string" },
	{ tag: tags.labelName, class: "tok-label" },
	{ tag: tags.operator, class: "tok-keyword" },
]);

/** language returns the colours of a language: ptx or cuda. */
export const language = (name) => [name === "cuda" ? cuda : ptx, syntaxHighlighting(style)];
