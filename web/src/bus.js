// Messages between the modules of the page: subscribers by type.
export function createBus() {
    const lists = new Map();
    return {
        on(type, receive) {
            if (!lists.has(type)) lists.set(type, []);
            lists.get(type).push(receive);
        },
        emit(type, data) {
            for (const receive of lists.get(type) ?? []) receive(data);
        },
    };
}
