import { execFileSync } from 'node:child_process'
import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryDirectory } from '../start-allot.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** The last commit before installations: the version to upgrade from as long as there is no tag `v*` behind this commit. */
const BEFORE_THE_FIRST_TAG = 'd3052fa50a2972cc5ed1973ac337ced057d95945'
/** All that the program needs beside what is installed. */
const SOURCES = ['bin', 'src', 'schemas', 'config/crd', 'package.json']

/** An earlier version of the program, out of the history of a repository. */
export interface PreviousVersion {
  readonly commit: string
  /** Its `bin/allot.js`. */
  readonly program: string
}

/** Takes the previous version out of the history. Throws with what to do where the history is not there. */
export function previousVersion(repository = ROOT): PreviousVersion {
  const commit = previousCommit(repository)
  const folder = temporaryDirectory()
  const archive = join(folder, 'sources.tar')
  git(repository, 'archive', '--output', archive, commit, ...SOURCES)
  execFileSync('tar', ['-xf', archive, '-C', folder])
  rmSync(archive)
  // What both need is the same: dependencies change with a decision record only.
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  return { commit, program: join(folder, 'bin/allot.js') }
}

/** The newest tag `v*` before this commit, or the commit that stands for it before there is one. */
function previousCommit(repository: string): string {
  if (git(repository, 'rev-parse', '--is-shallow-repository') === 'true')
    throw new Error(
      `the previous version is not in the history of ${repository}, which is a shallow clone: run \`git fetch --unshallow --tags\` there`,
    )
  try {
    return git(repository, 'describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*', 'HEAD^')
  } catch {
    return git(repository, 'rev-parse', '--verify', `${BEFORE_THE_FIRST_TAG}^{commit}`)
  }
}

const git = (repository: string, ...args: readonly string[]): string =>
  execFileSync('git', ['-C', repository, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()
