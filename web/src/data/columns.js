// Columns of results that the modules of the page ask for: the server is sent their union.
export function createColumns(state, source, bus) {
    const wanted = new Map();
    let received = [];
    let sent = '[]';

    // Every module replaces its own list.
    function request(owner, names) {
        wanted.set(owner, names);
        const all = [...new Set([...wanted.values()].flat())];
        const text = JSON.stringify(all);
        if (text === sent) return;
        sent = text;
        source.send('columns', { names: all });
        state.setFlag('columns', all.length > 0);
    }

    bus.on('columns', (message) => {
        received = message.names;
        state.counts.columns = received.length;
        bus.emit('columns-selected', received);
    });
    bus.on('connection', (now) => { if (now.open) sent = '[]'; });
    bus.on('scene', (scene) => {
        sent = '';
        const known = new Set((scene.columns ?? []).map((column) => column.name));
        for (const [owner, names] of wanted) wanted.set(owner, names.filter((name) => known.has(name)));
        if ([...wanted.values()].some((names) => names.length > 0)) for (const [owner, names] of wanted) request(owner, names);
        else sent = '[]';
    });
    return {
        request,
        index: (name) => received.indexOf(name),
        value: (frame, name) => (frame.columns ? frame.columns[received.indexOf(name)] : undefined),
        get names() { return received; },
    };
}
