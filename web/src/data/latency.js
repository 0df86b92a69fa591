// Time from a pointer event to the picture that includes it, in a histogram with bins of 4 ms, and time of the first picture with a
// mechanism since the start of the page [ms]; for tests.
export function createLatency(bus) {
    const bins = new Uint32Array(64);
    const sent = new Map();
    let answered = -1;
    let first = null;

    let framed = false;
    bus.on('frame', (frame) => {
        answered = frame.grab;
        framed = true;
    });
    bus.on('drawn', (now) => {
        if (framed) first ??= now;
        for (const [number, time] of sent) {
            if (number > answered) continue;
            bins[Math.min(bins.length - 1, Math.floor((now - time) / 4))]++;
            sent.delete(number);
        }
    });
    return {
        get first() { return first; },
        sent(number) {
            if (sent.size > 500) sent.clear();
            sent.set(number, performance.now());
        },
        histogram: () => ({ milliseconds: 4, counts: [...bins] }),
    };
}
