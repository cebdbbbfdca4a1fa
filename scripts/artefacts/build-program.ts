// Builds the program into a folder, as the package, the image and the archives hold it: `node scripts/artefacts/build-program.ts FOLDER`.
import { buildProgram } from './one-build.ts'

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('say into which folder: node scripts/artefacts/build-program.ts FOLDER')
await buildProgram(folder)
