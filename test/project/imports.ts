/** What a module imports, read from its source. */
import { posix } from 'node:path'
import ts from 'typescript'
import { readProjectFile } from './source-files.ts'

export interface Import {
  /** A path from the root of the project, or the name of a package, or `node:…`. */
  readonly target: string
  readonly isRelative: boolean
  /** Gone once it is compiled. */
  readonly typeOnly: boolean
  /** An `import()` that runs when it is reached, or a package that is found by `createRequire`. */
  readonly dynamic: boolean
}

export const parse = (path: string, source: string): ts.SourceFile => ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true)

export function importsOf(path: string, source: string = readProjectFile(path)): Import[] {
  const imports: Import[] = []
  const add = (specifier: ts.Node | undefined, typeOnly: boolean, dynamic = false): void => {
    if (!specifier || !ts.isStringLiteralLike(specifier)) return
    const isRelative = specifier.text.startsWith('.')
    imports.push({
      target: isRelative ? posix.join(posix.dirname(path), specifier.text) : packageOf(specifier.text),
      isRelative,
      typeOnly,
      dynamic,
    })
  }
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword)
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly)
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) add(node.arguments[0], false, true)
    else if (ts.isCallExpression(node) && /^(createRequire\(.*\)(\.resolve)?|require(\.resolve)?)$/.test(node.expression.getText()))
      add(node.arguments[0], false, true)
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal, true)
    ts.forEachChild(node, visit)
  }
  visit(parse(path, source))
  return imports
}

function packageOf(specifier: string): string {
  if (specifier.startsWith('node:')) return specifier
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

export interface Reach {
  /** Also what it is compiled against. */
  readonly types: boolean
  /** Also what is loaded when something is asked of it. @default false */
  readonly later?: boolean
}

/** The packages that a module and everything it imports reach when it is loaded. */
export function packagesReachedBy(entry: string, { types, later = false }: Reach): string[] {
  const packages = new Set<string>()
  const seen = new Set<string>()
  const follow = (path: string): void => {
    if (seen.has(path)) return
    seen.add(path)
    for (const { target, isRelative, typeOnly, dynamic } of importsOf(path)) {
      if ((dynamic && !later) || (typeOnly && !types)) continue
      if (isRelative) follow(target)
      else packages.add(target)
    }
  }
  follow(entry)
  return [...packages].toSorted()
}
