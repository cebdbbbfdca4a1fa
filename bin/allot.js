#!/usr/bin/env node
// Plain old JavaScript, so that a Node which is too old still says in one line what is wrong.
var major = Number(process.versions.node.split('.')[0])
if (major < 24) {
  process.stderr.write(
    'allot needs Node 24 or newer, this is ' + process.versions.node + '; in a clone, `make up` brings its own\n',
  )
  process.exit(1)
}
void Promise.all([import('node:fs'), import('node:module'), import('node:url')])
  .then(function ([fs, module, url]) {
    var source = new URL('../src/cli/main.ts', import.meta.url)
    if (!fs.existsSync(source)) return import(new URL('../dist/cli/main.js', import.meta.url).href)
    // In a clone types are stripped and modules compiled at each start: half of its CPU, unless Node keeps what comes of it. It does
    // so beside the source, where whoever could write could change the source too.
    var kept = new URL('../node_modules/.cache/allot', import.meta.url)
    if (process.env.NODE_V8_COVERAGE === undefined) module.enableCompileCache(url.fileURLToPath(kept))
    return import(source.href)
  })
  .then(function (cli) {
    return cli.main(process.argv.slice(2))
  })
