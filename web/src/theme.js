// Light and dark theme: that of the system until the toggle is used. Colours of the 3D view.
const palettes = {
    light: { grid: '#8d99a8', gridOpacity: 0.5, shadow: 0.24, steel: '#c9d0d8', dark: '#48505b', support: '#aab2bd', hatch: '#6b7480', spring: '#8a939e', sky: '#ffffff', earth: '#c8cdd4', hemisphere: 2.0, key: 2.2, fill: 0.5 },
    dark: { grid: '#6d7a8c', gridOpacity: 0.38, shadow: 0.5, steel: '#b4bdc8', dark: '#5d6773', support: '#6c7683', hatch: '#8c97a5', spring: '#a7b1bd', sky: '#dfe8f5', earth: '#3a4250', hemisphere: 1.5, key: 2.1, fill: 0.5 },
};

export function createTheme(bus) {
    const system = matchMedia('(prefers-color-scheme: dark)');
    let chosen = null;
    const name = () => chosen ?? (system.matches ? 'dark' : 'light');
    function show() {
        document.documentElement.dataset.theme = name();
        bus.emit('theme', palettes[name()]);
    }
    system.addEventListener('change', show);
    document.documentElement.dataset.theme = name();
    return {
        get name() { return name(); },
        get palette() { return palettes[name()]; },
        toggle() {
            chosen = name() === 'dark' ? 'light' : 'dark';
            show();
        },
    };
}
