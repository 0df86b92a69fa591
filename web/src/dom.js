// Elements of the page, made by script. Text enters by textContent alone.
export function element(tag, properties = {}, ...children) {
    const node = document.createElement(tag);
    for (const [key, value] of Object.entries(properties)) {
        if (key === 'class') node.className = value;
        else if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
        else if (key in node && key !== 'list') node[key] = value;
        else node.setAttribute(key, value);
    }
    node.append(...children);
    return node;
}

export function svgElement(tag, attributes = {}) {
    const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    return node;
}

// Outlines in a box of 24 by 24.
const outlines = {
    play: 'M8 5l11 7-11 7z',
    pause: 'M7 5h3.6v14H7zM13.4 5H17v14h-3.6z',
    forward: 'M6 6l8 6-8 6zM15.5 6H18v12h-2.5z',
    back: 'M18 6l-8 6 8 6zM6 6h2.5v12H6z',
    reset: 'M12 5a7 7 0 1 1-6.7 5h2.2A5 5 0 1 0 12 7v3L7.5 6 12 2z',
    joints: 'M4 7h9v2H4zM17 7h3v2h-3zM15 5a3 3 0 1 1 0 6 3 3 0 0 1 0-6zM4 15h3v2H4zM11 15h9v2h-9zM9 13a3 3 0 1 1 0 6 3 3 0 0 1 0-6z',
    plots: 'M4 4h2v14h14v2H4zM8 14l4-5 3 3 4-6 1.6 1.2-5.4 8-3-3-2.6 3.2z',
    parameters: 'M5 4h2v7H5zM5 16h2v4H5zM3 12h6v3H3zM11 4h2v3h-2zM11 12h2v8h-2zM9 8h6v3H9zM17 4h2v9h-2zM17 18h2v2h-2zM15 14h6v3h-6z',
    diagnosis: 'M10 4a6 6 0 0 1 4.9 9.5l5 5-1.4 1.4-5-5A6 6 0 1 1 10 4zm0 2a4 4 0 1 0 0 8 4 4 0 0 0 0-8z',
    move: 'M12 2l3.5 4H13v5h5V8.500l4 3.500-4 3.500V13h-5v5h2.500L12 22l-3.500-4H11v-5H6v2.500L2 12l4-3.500V11h5V6H8.500z',
    display: 'M12 5c5 0 8.500 4.500 9.500 7-1 2.500-4.500 7-9.500 7s-8.500-4.500-9.500-7C3.500 9.500 7 5 12 5zm0 2.800a4.200 4.200 0 1 0 0 8.400 4.200 4.200 0 0 0 0-8.400zm0 2a2.200 2.200 0 1 1 0 4.400 2.200 2.200 0 0 1 0-4.400z',
    simulation: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm0 2a7 7 0 1 1 0 14 7 7 0 0 1 0-14zM11 7h2v4.600l3.300 3.300-1.400 1.400L11 12.400z',
    fit: 'M4 4h6v2H6v4H4zM14 4h6v6h-2V6h-4zM4 14h2v4h4v2H4zM18 14h2v6h-6v-2h4z',
    theme: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm0 2v14a7 7 0 0 1 0-14z',
    help: 'M12 3c3 0 5 1.900 5 4.500 0 2-1.200 3-2.400 4-1.100.9-1.600 1.400-1.600 2.500v1h-2v-1c0-2 1.100-3.100 2.300-4 1.100-.9 1.700-1.400 1.700-2.500C15 6 13.800 5 12 5S9 6.100 9 7.800H7C7 5 9.100 3 12 3zM10.800 17.500h2.400V20h-2.400z',
    close: 'M6.400 5L12 10.600 17.600 5 19 6.400 13.400 12 19 17.600 17.600 19 12 13.400 6.400 19 5 17.600 10.600 12 5 6.400z',
};

export function icon(name) {
    const svg = svgElement('svg', { viewBox: '0 0 24 24', class: 'icon', 'aria-hidden': 'true' });
    svg.append(svgElement('path', { d: outlines[name], 'fill-rule': 'evenodd' }));
    return svg;
}

export function iconButton(name, label, press) {
    const button = element('button', { type: 'button', class: 'icon-button', title: label, onclick: press }, icon(name));
    button.setAttribute('aria-label', label);
    return button;
}

// Number with four significant digits, for reading.
export function readable(value, digits = 4) {
    if (!Number.isFinite(value)) return '–';
    if (value === 0) return '0';
    const size = Math.abs(value);
    if (size >= 1e5 || size < 1e-3) return value.toExponential(Math.min(digits - 1, 2)).replace('e+', 'e').replace('-', '−').replace('e-', 'e−');
    return String(Number(value.toPrecision(digits))).replace('-', '−');
}

export function saveFile(name, type, content) {
    const blob = content instanceof Blob ? content : new Blob([content], { type });
    const link = element('a', { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// Copy text; where the clipboard is not available (pages from files), by a hidden field.
export async function copyText(text) {
    try {
        await navigator.clipboard.writeText(text);
    } catch {
        const field = element('textarea', { value: text, class: 'hidden-field' });
        document.body.append(field);
        field.select();
        document.execCommand('copy');
        field.remove();
    }
}
