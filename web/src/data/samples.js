// Samples of the selected columns over time. When the buffer is full, every second sample is dropped: the whole past stays, memory is bounded.
export function createSamples(capacity = 20000) {
    let t = [];
    let values = [];
    let stride = 1;
    let skipped = 0;

    function clear(columns) {
        t = [];
        values = Array.from({ length: columns }, () => []);
        stride = 1;
        skipped = 0;
    }

    function add(time, row) {
        if (row.length !== values.length) return;
        if (t.length && time <= t[t.length - 1]) truncate(time);
        if (++skipped < stride) return;
        skipped = 0;
        t.push(time);
        row.forEach((x, i) => values[i].push(x));
        if (t.length >= capacity) halve();
    }

    function truncate(time) {
        let keep = t.length;
        while (keep > 0 && t[keep - 1] >= time) keep--;
        t.length = keep;
        for (const column of values) column.length = keep;
    }

    function halve() {
        const even = (list) => list.filter((_, i) => i % 2 === 0);
        t = even(t);
        values = values.map(even);
        stride *= 2;
    }

    function set(times, columns) {
        t = [...times];
        values = columns.map((column) => [...column]);
    }

    return { clear, add, set, get t() { return t; }, get values() { return values; } };
}
