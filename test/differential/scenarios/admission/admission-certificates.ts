import { base64, CERTIFICATE, pem, signingRequest } from '../../../signing-request.ts'
import { as, by, clusterBind, clusterRole, post, read, ref, rule, user } from '../../access-steps.ts'
import { MERGE_PATCH, type Scenario, type Step } from '../../scenario.ts'

const GROUP = 'certificates.k8s.io'
const PATH = `/apis/${GROUP}/v1/certificatesigningrequests`
const SIGNER = 'harbour.test/signer'
const CLIENT = 'kubernetes.io/kube-apiserver-client'

const ask = (name: string, spec: object = {}, more: object = {}): Step =>
  post(PATH, {
    metadata: { name: `${name}-WORD` },
    spec: { request: base64(signingRequest()), signerName: SIGNER, usages: ['client auth'], ...spec },
    ...more,
  })
const change = (name: string, subresource: string, status: object): Step => ({
  method: 'PATCH',
  path: `${PATH}/${name}-WORD${subresource === '' ? '' : `/${subresource}`}`,
  type: MERGE_PATCH,
  body: { status },
})
const condition = (type: string, more: object = {}): object => ({ type, status: 'True', reason: 'R', ...more })
const decide = (name: string, subresource: string, ...conditions: readonly object[]): Step =>
  change(name, subresource, { conditions })
const gone = (name: string): Step => ({ method: 'DELETE', path: `${PATH}/${name}-WORD` })
const signer = (verb: string, ...resourceNames: readonly string[]): object =>
  rule(verb, 'signers', GROUP, { resourceNames })

export const scenarios: readonly Scenario[] = [
  {
    name: 'requests for certificates are checked',
    steps: [
      ask('good'),
      read(`${PATH}/good-WORD`),
      ask('signer', { signerName: 'nothing' }),
      ask('signer', { signerName: 'a.test/b/c' }),
      ask('signer', { signerName: 'A_b/c' }),
      ask('signer', { signerName: '/c' }),
      ask('signer', { signerName: 'kubernetes.io/legacy-unknown' }),
      ask('usages', { usages: [] }),
      ask('usages', { usages: ['client auth', 'client auth', 'nothing'] }),
      ask('masters', { signerName: CLIENT, request: base64(signingRequest({ organization: 'system:masters' })) }),
      ask('client', { signerName: CLIENT }),
      ask('pre', {}, { status: { conditions: [condition('Approved')], certificate: base64(CERTIFICATE) } }),
      read(`${PATH}/pre-WORD`),
      change('pre', '', { conditions: [condition('Approved')], certificate: base64(CERTIFICATE) }),
      gone('good'),
      gone('client'),
      gone('pre'),
    ],
  },
  {
    name: 'requests for certificates are decided about',
    steps: [
      ask('a'),
      decide('a', 'status', condition('Approved')),
      decide('a', 'status', condition('Denied')),
      decide('a', 'approval', { type: '', status: '' }),
      decide('a', 'approval', condition('Approved', { status: 'False' })),
      decide('a', 'approval', condition('Other', { status: 'Perhaps' })),
      decide('a', 'approval', condition('Approved'), condition('Approved')),
      decide('a', 'approval', condition('Approved', { message: 'M', lastUpdateTime: '2001-01-01T00:00:00Z' })),
      read(`${PATH}/a-WORD`),
      decide('a', 'approval', condition('Approved', { message: 'N' })),
      decide('a', 'status', condition('Approved', { message: 'Forged' }), condition('Failed')),
      decide('a', 'status', condition('Approved')),
      decide('a', 'status'),
      change('a', 'status', { conditions: null }),
      decide('a', 'approval'),
      decide('a', 'approval', condition('Failed')),
      read(`${PATH}/a-WORD`),
      gone('a'),
    ],
  },
  {
    name: 'certificates are issued',
    steps: [
      ask('c'),
      ...[
        'text',
        signingRequest(),
        CERTIFICATE.replace('\n', '\nProc-Type: 4\n\n'),
        pem('CERTIFICATE', Buffer.alloc(0)),
      ].map((certificate) => change('c', 'status', { certificate: base64(certificate) })),
      change('c', 'approval', { certificate: base64(CERTIFICATE) }),
      change('c', 'status', { certificate: base64(`Text\n${CERTIFICATE}`) }),
      change('c', 'status', { certificate: base64(CERTIFICATE) }),
      change('c', 'status', { certificate: null }),
      change('c', 'status', { certificate: base64(`Text\n${CERTIFICATE}`) }),
      read(`${PATH}/c-WORD`),
      gone('c'),
    ],
  },
  {
    name: 'who decides about certificates must hold it',
    steps: [
      ask('d'),
      clusterRole(
        'writer',
        rule('patch', 'certificatesigningrequests/approval certificatesigningrequests/status', GROUP),
      ),
      clusterBind('writer', ref('ClusterRole', 'writer-WORD'), user('none-WORD'), user('own-WORD'), user('all-WORD')),
      clusterRole('own', signer('approve', 'harbour.test/other'), signer('sign', 'harbour.test/other')),
      clusterBind('own', ref('ClusterRole', 'own-WORD'), user('own-WORD')),
      clusterRole('all', signer('approve', 'harbour.test/*'), signer('sign', 'harbour.test/*')),
      clusterBind('all', ref('ClusterRole', 'all-WORD'), user('all-WORD')),
      ...['none', 'own', 'all'].flatMap((who): readonly Step[] => [
        by(as(`${who}-WORD`), decide('d', 'approval', condition('Approved'))),
        by(as(`${who}-WORD`), change('d', 'status', { certificate: base64(CERTIFICATE) })),
      ]),
      gone('d'),
      ...['writer', 'own', 'all'].flatMap((name): readonly Step[] => [
        { method: 'DELETE', path: `/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/${name}-WORD` },
        { method: 'DELETE', path: `/apis/rbac.authorization.k8s.io/v1/clusterroles/${name}-WORD` },
      ]),
    ],
  },
]
