import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { assertReplaceable, removeStaleKubeconfig, writeAdminKubeconfig } from './admin-kubeconfig.ts'

const ACCESS = { url: 'https://127.0.0.1:6443', caCertificate: 'CERTIFICATE\n', token: 'abc' }
const FOREIGN = 'clusters: [{name: production}]\ncontexts: [{name: allot}]\nusers: [{name: allot}]\n'

describe('the kubeconfig of the administrator', () => {
  let directory: string
  let file: string
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'allot-kubeconfig-'))
    file = join(directory, 'sub', 'kubeconfig')
  })
  afterEach(() => rmSync(directory, { recursive: true }))

  test('names server, authority and token, and a current context', () => {
    writeAdminKubeconfig(file, ACCESS)
    const config = parse(readFileSync(file, 'utf8'))
    expect(config.clusters[0].cluster).toEqual({
      server: ACCESS.url,
      'certificate-authority-data': Buffer.from('CERTIFICATE\n').toString('base64'),
    })
    expect(config.users[0].user.token).toBe('abc')
    expect(config.contexts).toEqual([
      { name: config['current-context'], context: { cluster: config.clusters[0].name, user: config.users[0].name } },
    ])
  })

  test('is for its owner only, whatever the file was before', () => {
    writeAdminKubeconfig(file, ACCESS)
    rmSync(file)
    writeFileSync(file, '', { mode: 0o644 })
    writeAdminKubeconfig(file, ACCESS)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(join(directory, 'sub'))).toEqual(['kubeconfig'])
  })

  test('replaces nothing but what allot wrote, or an empty file', () => {
    writeAdminKubeconfig(file, ACCESS)
    expect(() => assertReplaceable(file)).not.toThrow()
    writeFileSync(file, '')
    expect(() => assertReplaceable(file)).not.toThrow()
    for (const text of [FOREIGN, 'a note', '[', '{}']) {
      writeFileSync(file, text)
      expect(() => assertReplaceable(file), text).toThrow(expect.objectContaining({ code: 'kubeconfig-foreign' }))
    }
  })

  test('of an earlier run stays when it leads to the server that starts, and is taken away when it does not', () => {
    for (const other of [{ url: 'https://127.0.0.1:1' }, { token: 'another' }, { caCertificate: 'another' }]) {
      writeAdminKubeconfig(file, ACCESS)
      removeStaleKubeconfig(file, ACCESS)
      expect(existsSync(file)).toBe(true)
      removeStaleKubeconfig(file, { ...ACCESS, ...other })
      expect(existsSync(file)).toBe(false)
      removeStaleKubeconfig(file, ACCESS)
    }
    writeFileSync(file, FOREIGN)
    removeStaleKubeconfig(file, { ...ACCESS, token: 'another' })
    expect(existsSync(file)).toBe(true)
  })

  test('that cannot be written is refused with the reason', () => {
    expect(() => writeAdminKubeconfig('/dev/null/kubeconfig', ACCESS)).toThrow(
      expect.objectContaining({ code: 'kubeconfig-unwritable' }),
    )
  })
})
