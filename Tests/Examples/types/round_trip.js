// Reads every valid message with generated TypeScript models, compiled to CommonJS, and writes it again: nothing may be lost.
//
//     node round_trip.js FOLDER FIXTURES       FOLDER holds models/index.js, FIXTURES is Fixtures/
//
// Ends with 1 and names what was lost.
const fs = require('node:fs');
const path = require('node:path');

const [folder, fixtures] = process.argv.slice(2).map((name) => path.resolve(name));
const models = require(path.join(folder, 'models/index.js'));
const names = { restError: 'RestError', session: 'SessionResponse', push: 'PushPayload', pushHeaders: 'PushHeaders' };
const fromClients = ['auth', 'chat', 'sync', 'ping'];

function kinds({ file, type }) {
  const name = type[0].toUpperCase() + type.slice(1);
  if (!file.startsWith('messages/')) return [names[type] ?? name];
  return [`${name}Frame`, fromClients.includes(type) ? 'ClientFrame' : 'ServerFrame'];
}

// A member whose name is no identifier comes back under a second name too; only what is missing is lost.
function holds(found, wanted) {
  if (wanted === null || typeof wanted !== 'object') return Object.is(found, wanted);
  if (found === null || typeof found !== 'object' || Array.isArray(found) !== Array.isArray(wanted)) return false;
  if (Array.isArray(wanted) && found.length !== wanted.length) return false;
  return Object.entries(wanted).every(([name, value]) => Object.hasOwn(found, name) && holds(found[name], value));
}

let count = 0;
let lost = 0;
for (const entry of JSON.parse(fs.readFileSync(path.join(fixtures, 'index.json'), 'utf8')).messages) {
  if (entry.verdict !== 'valid') continue;
  const text = fs.readFileSync(path.join(fixtures, entry.file), 'utf8');
  for (const kind of kinds(entry)) {
    count += 1;
    const again = JSON.stringify(models[`${kind}ToJSON`](models[`${kind}FromJSON`](JSON.parse(text))));
    if (holds(JSON.parse(again), JSON.parse(text))) continue;
    lost += 1;
    console.log(`${entry.file} as ${kind}: came back as ${again.slice(0, 300)}`);
  }
}
console.log(`${count} messages, ${lost || 'none'} lost`);
process.exitCode = lost || !count ? 1 : 0;
