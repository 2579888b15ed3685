// What is in the file: the card, which the first view shows, and packed chunks, which are decoded when they are opened.

const card = JSON.parse(byId('card').textContent);
const W = card.words;
const opened = new Map();

/** The value of a packed chunk, decoded once. */
function unpack(name) {
  if (!opened.has(name)) opened.set(name, decoded(name));
  return opened.get(name);
}

async function decoded(name) {
  const holder = document.querySelector(`script[data-pack="${name}"]`);
  if (!holder) throw new Error(`the file has no part ${name}: it was cut off`);
  if (typeof DecompressionStream === 'undefined') throw new Error('this browser cannot decompress: take a newer one');
  const raw = atob(holder.textContent);
  const bytes = new Uint8Array(raw.length);
  for (let at = 0; at < raw.length; at += 1) bytes[at] = raw.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return JSON.parse(await new Response(stream).text());
}

let index = null;

/** The index of all runs: columns, scenarios, requirements. */
async function loadIndex() {
  if (!index) {
    const found = (await unpack('index-0'));
    found.size = found.scenario.length;
    found.byScenario = new Map(found.scenarios.map((scenario, at) => [scenario.id, at]));
    found.runsOf = found.scenarios.map(() => []);
    for (let run = 0; run < found.size; run += 1) found.runsOf[found.scenario[run]].push(run);
    index = found;
  }
  return index;
}

/** A pooled text: the number of it, or the text itself. */
async function text(packed) {
  if (typeof packed !== 'number') return packed === undefined || packed === null ? '' : packed;
  const starts = card.textStarts;
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle] <= packed) low = middle;
    else high = middle - 1;
  }
  return (await unpack(`text-${low}`))[packed - starts[low]];
}

/** An element that shows a pooled text as soon as it is there. */
function shownText(tag, props, packed) {
  const node = el(tag, props);
  if (typeof packed !== 'number') node.append(...pieces(packed === undefined || packed === null ? '' : packed));
  else text(packed).then((found) => node.append(...pieces(found)), (error) => node.append(missing(String(error.message)))).then(() => reachable(node));
  return node;
}

const openRun = async (run) => (await unpack(`run-${index.chunk[run]}`))[index.at[run]];

const figuresOf = (model, family) =>
  card.figures.find((item) => item.model === model && item.family === (family || '')) || null;
const modelNumber = (slug) => card.models.findIndex((model) => model.slug === slug);
const modelName = (at) => (at < 0 ? 'scripted' : label(card.models[at]));

/** The name of a model; with its parameters where another one has the same name. */
function label(model) {
  return card.models.filter((other) => other.name === model.name).length > 1 ? `${model.name} ${model.parameters}` : model.name;
}

const familiesOf = () => card.families.map(([name]) => name);

/** The link to a run. */
const runPath = (run) => [
  'run',
  index.scenarios[index.scenario[run]].id,
  index.model[run] < 0 ? '-' : card.models[index.model[run]].slug,
  String(index.epoch[run]),
];

function findRun(scenario, slug, epoch) {
  const at = index.byScenario.get(scenario);
  if (at === undefined) return -1;
  const model = slug === '-' ? -1 : modelNumber(slug);
  const found = index.runsOf[at].find((run) => index.model[run] === model && String(index.epoch[run]) === epoch);
  return found === undefined ? -1 : found;
}
