// Bundle the page of `cardan view` into one file with inline script and style: node build.mjs OUTPUT.html
// The file .csp next to it holds the hashes for its Content-Security-Policy: first line the script, second the style.
import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
const output = process.argv[2];
if (!output || !output.endsWith('.html')) {
    console.error('usage: node build.mjs OUTPUT.html');
    process.exit(2);
}

async function bundle(entry) {
    const result = await build({
        entryPoints: [join(folder, 'src', entry)], absWorkingDir: folder, bundle: true, minify: true, write: false, format: 'esm',
        target: 'es2022', charset: 'ascii', legalComments: 'none', logLevel: 'warning', sourcemap: false,
    });
    return result.outputFiles[0].text.trim();
}

const hash = (text) => 'sha256-' + createHash('sha256').update(text).digest('base64');
const licence = (name) => `${name}: ${readFileSync(join(folder, 'node_modules', name, 'LICENSE'), 'utf8').trim()}`;
// A closing tag in a string literal would end the inline script.
const script = (await bundle('main.js')).replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
const style = await bundle('style.css');
const page = readFileSync(join(folder, 'src', 'index.html'), 'utf8')
    .replace('<!-- licences -->', () => `<!--\nThis page contains:\n${['three', 'uplot'].map(licence).join('\n\n').replaceAll('--', '- -')}\n-->`)
    .replace('<!-- style -->', () => `<style>${style}</style>`)
    .replace('<!-- script -->', () => `<script type="module">${script}</script>`);
writeFileSync(output, page);
writeFileSync(output.replace(/\.html$/, '.csp'), `${hash(script)}\n${hash(style)}\n`);
