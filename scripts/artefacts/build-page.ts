// Builds the page of the dashboard: `node scripts/artefacts/build-page.ts FOLDER`.
import { page } from './page-build.ts'

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('say into which folder: node scripts/artefacts/build-page.ts FOLDER')
await page(folder)
