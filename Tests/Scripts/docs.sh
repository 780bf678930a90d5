#!/bin/sh
# Builds the library's pages with the toolchain's docc; a warning is an error. usage: docs.sh BUILD-FOLDER
set -eu
cd "$(dirname "$0")/../.."
build=$1
graphs=$build/symbol-graphs
rm -rf "$graphs" "$build/docs"
mkdir -p "$graphs"
swift build -c release --enable-index-store --target QuickVault >/dev/null
includes=$(for folder in Sources/C*/; do echo "-I $folder"; [ ! -d "$folder/include" ] || echo "-I $folder/include"; done)
target=$(swift -print-target-info | sed -n 's/.*"unversionedTriple": "\(.*\)".*/\1/p')
# shellcheck disable=SC2046,SC2086
swift symbolgraph-extract -module-name QuickVault -minimum-access-level public -target "$target" -I "$build/release/Modules" \
    $includes $(find -L "$build/release" -maxdepth 2 -name module.modulemap -printf '-Xcc -fmodule-map-file=%p ') \
    -output-dir "$graphs"
# The tutorial shows the files of the example as they are built and tested.
catalogue=$build/QuickVault.docc
rm -rf "$catalogue"
cp -r Sources/QuickVault/QuickVault.docc "$catalogue"
cp Tests/Example/Package.swift Tests/Example/Sources/cardbox/*.swift Spec/product/pictures/terminal.svg "$catalogue"
docc=$(dirname "$(readlink -f "$(command -v swift)")")/docc
"$docc" convert "$catalogue" --additional-symbol-graph-dir "$graphs" --output-dir "$build/docs" \
    --fallback-display-name QuickVault --fallback-bundle-identifier QuickVault --warnings-as-errors --no-transform-for-static-hosting

# The guide: the pages that the command carries, and an index.
guide=$build/Guide.docc
rm -rf "$guide" "$build/docs-guide"
mkdir -p "$guide"
cp Sources/qvault/Guide/*.md "$guide"
{
    printf '# QuickVault guide\n\nThe pages of `qvault help`.\n\n@Metadata {\n    @TechnologyRoot\n}\n\n## Topics\n\n'
    for page in Sources/qvault/Guide/*.md; do echo "- <doc:$(basename "$page" .md | tr . -)>"; done
} >"$guide/index-page.md"
for page in "$guide"/*.zh.md; do mv "$page" "${page%.zh.md}-zh.md"; done
"$docc" convert "$guide" --output-dir "$build/docs-guide" --fallback-display-name Guide --fallback-bundle-identifier Guide \
    --warnings-as-errors --no-transform-for-static-hosting
echo "pages of the guide: $(find "$build/docs-guide/data" -name '*.json' | wc -l), in $build/docs-guide"
echo "pages of the library: $(find "$build/docs/data" -name '*.json' | wc -l), in $build/docs"
