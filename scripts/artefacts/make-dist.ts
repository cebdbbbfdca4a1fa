// Makes what is released, all of one build: `node scripts/artefacts/make-dist.ts [--into dist] [--platforms linux-x64,…] [--only package,archives,image]`.
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { archiveName, packageArchive, platformArchive, sha256 } from './archive.ts'
import { writeDeclarations } from './declarations.ts'
import { imageArchive, imageFile } from './image.ts'
import { krewManifest } from './krew.ts'
import { nodeOf, platforms } from './node-binary.ts'
import { buildProgram } from './one-build.ts'
import { manifest, ROOT } from './root.ts'
import { SBOM_FILE } from './sbom.ts'

const { values } = parseArgs({
  options: {
    into: { type: 'string', default: join(ROOT, 'dist') },
    platforms: { type: 'string', default: platforms().join(',') },
    /** An image takes the libraries of the Linux that it is made on. */
    only: { type: 'string', default: `package,archives${process.platform === 'linux' ? ',image' : ''}` },
    /** Where the archives will be found: the beginning of their URLs in the manifest of the plugin. */
    from: { type: 'string', default: '' },
  },
})
const wanted = new Set(values.only.split(','))
const { version } = manifest()
const program = mkdtempSync(join(tmpdir(), 'allot-dist-'))
const sums: string[] = []

/** A file with the name is whole: an earlier one stays until the new one is written. */
function write(name: string, bytes: Buffer): string {
  const file = join(values.into, name)
  writeFileSync(`${file}.unfinished`, bytes)
  renameSync(`${file}.unfinished`, file)
  sums.push(`${sha256(bytes)}  ${name}`)
  console.log(`${file} ${(bytes.length / 2 ** 20).toFixed(1)} MiB`)
  return sha256(bytes)
}

mkdirSync(values.into, { recursive: true })
await buildProgram(program)
writeDeclarations(join(program, 'dist'))
write(`allot-${version}.cdx.json`, readFileSync(join(program, SBOM_FILE)))
if (wanted.has('package')) write(`allot-${version}.tgz`, packageArchive(program))
if (wanted.has('archives')) {
  const archives = values.platforms.split(',').map((platform) => {
    const sum = write(`${archiveName(platform)}.tar.gz`, platformArchive(program, platform, nodeOf(platform)))
    return { platform, sha256: sum }
  })
  write('allot.yaml', Buffer.from(krewManifest(archives, values.from)))
}
if (wanted.has('image')) {
  const { archive, digest } = imageArchive(program)
  write(imageFile(), archive)
  console.log(`the digest of the image is ${digest}`)
}
writeFileSync(join(values.into, 'SHA256SUMS'), `${sums.join('\n')}\n`)
rmSync(program, { recursive: true })
