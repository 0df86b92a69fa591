// Time from a pointer event to the picture that includes it: histogram in bins of 4 ms, for tests.
export function createLatency(bus) {
    const bins = new Uint32Array(64);
    const sent = new Map();
    let answered = -1;

    bus.on('frame', (frame) => { answered = frame.grab; });
    bus.on('drawn', (now) => {
        for (const [number, time] of sent) {
            if (number > answered) continue;
            bins[Math.min(bins.length - 1, Math.floor((now - time) / 4))]++;
            sent.delete(number);
        }
    });
    return {
        sent(number) {
            if (sent.size > 500) sent.clear();
            sent.set(number, performance.now());
        },
        histogram: () => ({ milliseconds: 4, counts: [...bins] }),
    };
}
