import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runProgram } from '../allot-program.ts'

test('changes without any manifest are an error, as from a template that failed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'allot-simulate-'))
  try {
    const file = join(folder, 'empty.yaml')
    writeFileSync(file, '---\n# nothing\n')
    let err = ''
    const context = { out: () => undefined, err: (text: string) => (err += text), environment: {} }
    const code = await runProgram(['simulate', '-f', file, '--state', file], { ...context, stop: AbortSignal.abort() })
    expect([code, err]).toEqual([1, expect.stringContaining('there is no manifest among the changes')])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
