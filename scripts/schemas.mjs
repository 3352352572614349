// Writes the JSON Schemas that packages publish, from the schemas that they use.
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { jsonSchemaOf, PUBLISHED } from '../packages/presence/dist/openwop/schemas.js';

const folder = fileURLToPath(new URL('../packages/presence/schemas/', import.meta.url));
mkdirSync(folder, { recursive: true });
for (const name of Object.keys(PUBLISHED))
  writeFileSync(`${folder}${name}.schema.json`, `${JSON.stringify(jsonSchemaOf(name), undefined, 2)}\n`);
