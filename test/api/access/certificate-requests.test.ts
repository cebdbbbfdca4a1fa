import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { base64, CERTIFICATE, pem, signingRequest } from '../../signing-request.ts'
import type { Answer } from '../../in-process.ts'
import { apiServer, MERGE } from '../api-server.ts'
import { access, as, outcome, rule } from './role-objects.ts'

const api = apiServer()
const { allow } = access(api)
const GROUP = 'certificates.k8s.io'
const PATH = `/apis/${GROUP}/v1/certificatesigningrequests`
const CLIENT = 'kubernetes.io/kube-apiserver-client'
const SIGNER = 'harbour.test/signer'

const asking = (name: string, signerName: string = SIGNER, request: string = signingRequest()): object => ({
  metadata: { name },
  spec: { request: base64(request), signerName, usages: ['client auth'] },
})
const condition = (type: string, more: object = {}): object => ({ type, status: 'True', reason: 'R', ...more })
const change = (name: string, subresource: string, status: object, headers: object = {}): Promise<Answer> =>
  api.send('PATCH', `${PATH}/${name}/${subresource}`, { status }, { ...MERGE, ...headers })
const causes = ({ status, body }: Answer): unknown =>
  status === 422
    ? body.details.causes.map(({ field, message }: Readonly<Record<string, string>>) => `${field}: ${message}`)
    : status
const conditionsOf = async (name: string): Promise<readonly Readonly<Record<string, string>>[]> =>
  (await api.get(`${PATH}/${name}`)).status.conditions ?? []

const WRITES = rule('patch update', 'certificatesigningrequests/approval certificatesigningrequests/status', GROUP)

test('nobody asks for a certificate of the administrators for the clients of the server', async () => {
  const masters = signingRequest({ organization: 'system:masters' })
  const bmp = Buffer.from('system:masters', 'utf16le').swap16().toString('latin1')
  const inBmp = signingRequest({ organization: bmp, tag: 0x1e })
  // A block that another reader takes for the request must not hide the one that counts.
  const decoy = `x ${signingRequest().trimEnd().replaceAll('\n', '')}\n${masters}`
  for (const request of [masters, inBmp, decoy])
    expect(outcome(await api.send('POST', PATH, asking('root', CLIENT, request)))).toEqual([
      403,
      'certificatesigningrequests.certificates.k8s.io "root" is forbidden: use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed',
    ])
  await api.create(PATH, asking('usual', CLIENT))
  await api.create(PATH, asking('other', SIGNER, masters))
})

test('a request must be signed with the key that it names', async () => {
  const { privateKey } = generateKeyPairSync('ed25519')
  const refused = async (request: string): Promise<unknown> => {
    const answer = await api.send('POST', PATH, asking('unsigned', SIGNER, request))
    return answer.status === 422 ? answer.body.details.causes[0].message.replace(/^.*": /, '') : answer.status
  }
  expect(await refused(signingRequest({ signer: privateKey }))).toBe(
    'x509: the signature does not match the public key of the request',
  )
  expect(await refused(pem('CERTIFICATE REQUEST', Buffer.from('3000', 'hex')))).toBe(
    'x509: malformed certificate request',
  )
  for (const request of [`text\n${pem('CERTIFICATE', Buffer.from('3000', 'hex'))}${signingRequest()}`, 'text', ''])
    expect(await refused(request)).toBe('PEM block type must be CERTIFICATE REQUEST')
})

test.each([
  ['approve', 'approval', 'Approved'],
  ['sign', 'status', 'Failed'],
])('a user who may not %s for a signer is rejected, by its name or its domain', async (verb, subresource, type) => {
  await api.create(PATH, asking(verb))
  await allow('', `${verb}-none`, WRITES, rule(verb, 'signers', GROUP, { resourceNames: ['harbour.test/other'] }))
  await allow('', `${verb}-name`, WRITES, rule(verb, 'signers', GROUP, { resourceNames: [SIGNER] }))
  await allow('', `${verb}-domain`, WRITES, rule(verb, 'signers', GROUP, { resourceNames: ['harbour.test/*'] }))
  const write = (user: string): Promise<Answer> =>
    change(verb, subresource, { conditions: [condition(type, { message: user })] }, as(user))
  expect(outcome(await write(`${verb}-none`))).toEqual([
    403,
    `certificatesigningrequests.certificates.k8s.io "${verb}" is forbidden: user not permitted to ${verb} requests with signerName "${SIGNER}"`,
  ])
  for (const user of [`${verb}-name`, `${verb}-domain`]) expect((await write(user)).status).toBe(200)
})

describe('the decision about a request', () => {
  test.each(['Approved', 'Denied'])('is not changed by its status: %s', async (type) => {
    const name = type.toLowerCase()
    await api.create(PATH, asking(name))
    expect(causes(await change(name, 'status', { conditions: [condition(type)] }))).toEqual([
      `status.conditions: Forbidden: updates may not add a condition of type "${type}"`,
    ])
    expect((await change(name, 'approval', { conditions: [condition(type)] })).status).toBe(200)
    const decided = await conditionsOf(name)
    const forged = condition(type, { reason: 'Forged', lastUpdateTime: '2001-01-01T00:00:00Z' })
    expect((await change(name, 'status', { conditions: [forged, condition('Failed')] })).status).toBe(200)
    expect((await conditionsOf(name))[0]).toEqual(decided[0])
    for (const subresource of ['status', 'approval'])
      for (const conditions of [[], null, [condition('Failed')]])
        expect(causes(await change(name, subresource, { conditions }))).toContain(
          `status.conditions: Forbidden: updates may not remove a condition of type "${type}"`,
        )
    expect((await conditionsOf(name)).map((one) => one['type'])).toEqual([type, 'Failed'])
  })

  test('is not changed by the request itself', async () => {
    await api.create(PATH, { ...asking('born'), status: { conditions: [condition('Approved')] } })
    expect(await conditionsOf('born')).toEqual([])
    const status = { conditions: [condition('Approved')], certificate: base64(CERTIFICATE) }
    const updated = await api.send('PATCH', `${PATH}/born`, { status }, MERGE)
    expect(updated.body.status).toEqual({})
  })

  test('is either an approval or a denial, once, and true', async () => {
    await api.create(PATH, asking('both'))
    const decide = (...conditions: readonly object[]): Promise<unknown> =>
      change('both', 'approval', { conditions }).then(causes)
    expect(await decide(condition('Approved'), condition('Denied'))).toEqual([
      'status.conditions: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive',
    ])
    expect(await decide(condition('Approved'), condition('Approved'))).toEqual([
      'status.conditions[1].type: Duplicate value: "Approved"',
    ])
    expect(await decide(condition('Denied', { status: 'False' }))).toEqual([
      'status.conditions[0].status: Unsupported value: "False": supported values: "True"',
    ])
    expect(await decide({ type: 'Other', status: 'Perhaps' })).toEqual([
      'status.conditions[0].status: Unsupported value: "Perhaps": supported values: "False", "True", "Unknown"',
    ])
    expect(await decide({ type: '', status: '' })).toEqual([
      'status.conditions[0].type: Required value',
      'status.conditions[0].status: Required value',
    ])
    expect(await conditionsOf('both')).toEqual([])
  })

  test('says when, and since when, unless that was said', async () => {
    await api.create(PATH, asking('timed'))
    await change('timed', 'approval', {
      conditions: [condition('Approved', { lastUpdateTime: '2001-01-01T00:00:00Z' })],
    })
    const [approved] = await conditionsOf('timed')
    expect(approved).toMatchObject({ lastUpdateTime: '2001-01-01T00:00:00Z' })
    expect(Date.parse(approved?.['lastTransitionTime'] ?? '')).toBeGreaterThan(Date.parse('2020-01-01'))
    await change('timed', 'status', { conditions: [condition('Approved'), condition('Failed')] })
    const [, failed] = await conditionsOf('timed')
    expect(Date.parse(failed?.['lastUpdateTime'] ?? '')).toBeGreaterThan(Date.parse('2020-01-01'))
  })
})

describe('a certificate', () => {
  test.each([
    ['text', 'must contain at least one CERTIFICATE PEM block'],
    [signingRequest(), 'only CERTIFICATE PEM blocks are allowed, found "CERTIFICATE REQUEST"'],
    [`${CERTIFICATE}${signingRequest()}`, 'only CERTIFICATE PEM blocks are allowed, found "CERTIFICATE REQUEST"'],
    [CERTIFICATE.replace('\n', '\nProc-Type: 4\n\n'), 'no PEM block headers are permitted'],
    [pem('CERTIFICATE', Buffer.alloc(0)), 'found CERTIFICATE PEM block containing 0 certificates'],
    [pem('CERTIFICATE', Buffer.from('30030201', 'hex')), 'x509: malformed certificate'],
    [pem('CERTIFICATE', Buffer.from('3003020101', 'hex')), 'x509: malformed certificate'],
  ])('is rejected if it is invalid, %#', async (certificate, problem) => {
    await api.send('POST', PATH, asking('bad'))
    expect(causes(await change('bad', 'status', { certificate: base64(certificate) }))).toEqual([
      `status.certificate: Invalid value: "<certificate data>": ${problem}`,
    ])
  })

  test('stays as it was issued, and comes by the status alone', async () => {
    await api.create(PATH, asking('issued'))
    const certificate = base64(`Issued for the harbour:\n${CERTIFICATE}${CERTIFICATE}`)
    await change('issued', 'approval', { certificate, conditions: [condition('Approved')] })
    expect((await api.get(`${PATH}/issued`)).status.certificate).toBeUndefined()
    expect((await change('issued', 'status', { certificate })).status).toBe(200)
    for (const other of [base64(CERTIFICATE), '', null])
      expect(causes(await change('issued', 'status', { certificate: other }))).toEqual([
        'status.certificate: Forbidden: updates may not modify existing certificate content',
      ])
    await change('issued', 'approval', { certificate: base64(CERTIFICATE) })
    expect((await api.get(`${PATH}/issued`)).status.certificate).toBe(certificate)
  })
})

test('nobody comes to own what a write of a request cannot change', async () => {
  await api.create(PATH, { ...asking('owned'), metadata: { name: 'owned', labels: { pier: 'north' } } })
  await change('owned', 'approval', { conditions: [condition('Approved')] })
  await change('owned', 'status', { certificate: base64(CERTIFICATE) })
  const entries: readonly Entry[] = (await api.get(`${PATH}/owned`)).metadata.managedFields
  const owned = entries.map(({ subresource = '', fieldsV1 }) => [
    subresource,
    ...Object.entries(fieldsV1).map(([part, fields]) => `${part}: ${Object.keys(fields).join()}`),
  ])
  const expected = [
    ['', 'f:metadata: f:labels'],
    ['approval', 'f:status: f:conditions'],
    ['status', 'f:status: f:certificate'],
  ]
  expect(owned).toHaveLength(expected.length)
  for (const entry of expected) expect(owned).toContainEqual(entry)
})

interface Entry {
  readonly subresource?: string
  readonly fieldsV1: Readonly<Record<string, object>>
}

test.each([
  ['nothing', "must be a fully qualified domain and path of the form 'example.com/signer-name'"],
  ['harbour/pilot', 'should be a domain with at least two segments separated by dots'],
  ['kubernetes.io/legacy-unknown', 'the legacy signerName is not allowed via this API version'],
])('a signer has a domain and a name: %s', async (signer, problem) => {
  const refused = await api.send('POST', PATH, asking('named', signer))
  expect([refused.status, refused.body.message]).toEqual([422, expect.stringContaining(problem)])
})
