// A running `cardan view` for tests; CARDAN_TOOL names the tool.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Root of the sources: above web/, or above the folder in which web/ is copied to be built.
function findRoot(folder) {
    if (existsSync(join(folder, 'models')) && existsSync(join(folder, 'web'))) return folder;
    return folder === dirname(folder) ? null : findRoot(dirname(folder));
}
export const root = findRoot(dirname(fileURLToPath(import.meta.url))) ?? process.cwd();
const tool = process.env.CARDAN_TOOL ?? join(root, 'build', 'cardan');

export async function startViewer(model, ...options) {
    const process = spawn(tool, ['view', model, '--no-open', ...options], { cwd: root });
    let text = '';
    let errors = '';
    process.stderr.on('data', (data) => { errors += data; });
    const address = await new Promise((found, failed) => {
        process.on('exit', () => failed(new Error(`cardan view ${model}: ${errors}`)));
        process.stdout.on('data', (data) => {
            text += data;
            const match = /(http:\/\/127\.0\.0\.1:\d+\/)#k=(\w{32})/.exec(text);
            if (match) found(`${match[1]}?debug#k=${match[2]}`);
        });
    });
    return {
        address, pid: process.pid,
        async close() {
            process.removeAllListeners('exit');
            const ended = once(process, 'exit');
            process.kill('SIGINT');
            const [code] = await ended;
            return { code, errors };
        },
    };
}

export function run(...words) {
    const result = spawnSync(tool, words, { cwd: root, encoding: 'utf8' });
    if (result.status !== 0) throw new Error(`cardan ${words.join(' ')}: ${result.stderr}`);
    return result.stdout;
}
