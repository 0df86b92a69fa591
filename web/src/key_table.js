// Keys and gestures, in the order of the list behind `?`. Entries of the live simulation are left out in recordings.
export function keyTable({ recorded, time, pull, pins, view, display, theme, panels, showKeys }) {
    const standard = (name) => () => {
        view.controls.standard[name]();
        view.fitAll();
    };
    const panel = (id) => () => panels.has(id) && panels.toggle(id);
    const all = [
        { keys: [], label: 'press on a body', text: 'pull it; while paused: move the mechanism', live: true },
        { keys: [], label: 'click on a joint', text: 'its row in the panel of joints', live: true },
        { keys: ['i'], label: 'I, right button', text: 'while pulling: pin the spring at its target', live: true, run: () => pull.pin() },
        { keys: ['g'], label: 'G', text: 'release the pulled body and all pins', live: true, run: () => { pull.release(); pins.releaseAll(); } },
        { keys: [], label: 'press elsewhere', text: 'turn the camera; right button or Shift: pan; wheel: zoom' },
        { keys: [], label: 'double click', text: 'centre the view on the point' },
        { keys: [], label: 'Alt+click', text: 'trace the path of the point' },
        { keys: [' '], label: 'Space', text: 'play, pause', run: time.toggle },
        { keys: ['.'], text: 'one frame forward', run: () => time.step(1) },
        { keys: [','], text: 'one frame back', run: () => time.step(-1) },
        { keys: ['ArrowLeft'], label: '←', text: 'ten frames back in the history', run: () => time.scrub(-10) },
        { keys: ['ArrowRight'], label: '→', text: 'ten frames forward in the history', run: () => time.scrub(10) },
        { keys: ['r'], label: 'R', text: 'reset', run: time.reset },
        { keys: ['f'], label: 'F', text: 'fit all', run: view.fitAll },
        { keys: ['1'], text: 'front view', run: standard('front') },
        { keys: ['2'], text: 'side view', run: standard('side') },
        { keys: ['3'], text: 'top view', run: standard('top') },
        { keys: ['0'], text: 'initial view', run: view.home },
        { keys: ['n'], label: 'N', text: 'names', run: display.toggle('names') },
        { keys: ['a'], label: 'A', text: 'frames', run: display.toggle('frames') },
        { keys: ['m'], label: 'M', text: 'mass centres', run: display.toggle('centres') },
        { keys: ['w'], label: 'W', text: 'reactions', live: true, run: display.toggle('reactions') },
        { keys: ['t'], label: 'T', text: 'light or dark theme', run: theme.toggle },
        { keys: ['j'], label: 'J', text: 'panel of joints', live: true, run: panel('joints') },
        { keys: ['p'], label: 'P', text: 'panel of plots', run: panel('plots') },
        { keys: ['v'], label: 'V', text: 'panel of the model', live: true, run: panel('parameters') },
        { keys: ['d'], label: 'D', text: 'panel of the diagnosis', live: true, run: panel('diagnosis') },
        { keys: ['c'], label: 'C', text: 'panel to move a marker', live: true, run: panel('move') },
        { keys: ['s'], label: 'S', text: 'panel of the simulation', live: true, run: panel('simulation') },
        { keys: ['h'], label: 'H', text: 'panel of the display', run: panel('display') },
        { keys: ['Escape'], label: 'Esc', text: 'fold all panels', run: panels.foldAll },
        { keys: ['?'], text: 'this list', run: showKeys },
    ];
    return all.filter((entry) => !(recorded && entry.live));
}
