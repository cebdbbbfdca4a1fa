#!/usr/bin/env node
// Plain old JavaScript, so that a Node which is too old still says in one line what is wrong.
var major = Number(process.versions.node.split('.')[0])
if (major < 24) {
  process.stderr.write(
    'allot needs Node 24 or newer, this is ' + process.versions.node + '; in a clone, `make up` brings its own\n',
  )
  process.exit(1)
}
void import('node:fs')
  .then(function (fs) {
    var source = new URL('../src/cli/main.ts', import.meta.url)
    return import(fs.existsSync(source) ? source.href : new URL('../dist/cli/main.js', import.meta.url).href)
  })
  .then(function (cli) {
    return cli.main(process.argv.slice(2))
  })
