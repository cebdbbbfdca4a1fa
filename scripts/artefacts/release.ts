// Checks all that a release promises, and makes it: `node scripts/artefacts/release.ts [--from URL/] [--key FILE]`. It publishes nothing.
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { auditResult, licenseProblems, signatureOf, versionProblems } from './release-checks.ts'
import { manifest, ROOT } from './root.ts'

const { values } = parseArgs({
  options: {
    /** Where the archives will be found. */
    from: { type: 'string', default: '' },
    /** A private key (PEM) that signs SHA256SUMS. */
    key: { type: 'string' },
  },
})
const { version } = manifest()
const tag = `v${version}`
const dist = join(ROOT, 'dist')
const git = (...args: readonly string[]): string => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim()
let failed = false

function report(what: string, problems: readonly string[], unchecked?: string): void {
  const state = problems.length > 0 ? 'FAIL' : unchecked === undefined ? 'ok  ' : 'NOT CHECKED'
  console.log(`${state} ${what}${unchecked === undefined ? '' : `: ${unchecked}`}`)
  for (const problem of problems) console.log(`     ${problem}`)
  failed ||= problems.length > 0
}

report('versions', versionProblems(ROOT))
report(
  'the tree is what is committed',
  git('status', '--porcelain')
    .split('\n')
    .filter((line) => line !== ''),
)
const tagged = git('tag', '--list', tag) === '' ? undefined : git('rev-list', '-n', '1', tag)
report(
  `the tag ${tag}`,
  tagged === undefined || tagged === git('rev-parse', 'HEAD') ? [] : [`it is on ${tagged}: raise the version`],
)
const audit = spawnSync('npm', ['audit', '--omit=dev', '--json'], { cwd: ROOT, encoding: 'utf8' })
const audited = auditResult(audit.stdout)
report('known vulnerabilities of what is bundled (npm audit)', audited.problems, audited.unchecked)
execFileSync(process.execPath, [join(ROOT, 'scripts/artefacts/make-dist.ts'), '--from', values.from], {
  stdio: 'inherit',
})
const sbom = readFileSync(join(dist, `allot-${version}.cdx.json`), 'utf8')
report('licences of what is bundled', licenseProblems(sbom))
report('the address of the archives in allot.yaml', [], values.from === '' ? 'no --from was given' : undefined)
if (values.key === undefined) report('signature', [], 'no --key was given, so nothing is signed')
else {
  const sums = readFileSync(join(dist, 'SHA256SUMS'), 'utf8')
  writeFileSync(join(dist, 'SHA256SUMS.sig'), signatureOf(sums, readFileSync(values.key, 'utf8')))
  report('signature of SHA256SUMS in SHA256SUMS.sig', [])
}
if (!failed) console.log(`allot ${version} is in ${dist}. Nothing is published. The tag: git tag --annotate ${tag}`)
process.exitCode = failed ? 1 : 0
