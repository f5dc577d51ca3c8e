/**
 * The commands of an agent's day in a project, as a sample: how often the rules for `terminal/create` ask. Not chosen for what
 * they find.
 */
export const DAILY: readonly string[] = String.raw`
git status
git status --short
git diff
git diff --stat
git diff HEAD~1 -- src
git diff --cached
git log --oneline -10
git log -p -1
git log --since=yesterday --stat
git log --oneline main..HEAD
git show HEAD
git show HEAD:package.json
git show --stat HEAD~2
git blame -L 10,20 src/a.ts
git branch
git branch --show-current
git branch -vv
git add -A
git add src/a.ts
git commit -m "Fix the parser"
git commit -am "Add tests"
git commit --amend --no-edit
git checkout -b feature/x
git switch -c fix/y
git restore --staged src/a.ts
git stash list
git rev-parse HEAD
git rev-parse --show-toplevel
git ls-files src
git grep -n TODO
git fetch origin
git merge-base main HEAD
git worktree list
git remote
git shortlog -sn
git push origin feature/x
git checkout main
git pull --rebase
git stash
npm test
npm run build
npm run lint
npm run lint -- --fix
npm run typecheck
npm ci
npm ls --depth=0
npm outdated
npm view react version
npm test -- --grep parser
npm run test:unit -- src/a.test.ts
npm audit
npm install
npm install lodash
npx tsc --noEmit
npx eslint src --ext .ts
npx prettier --check src
npx prettier --write src/a.ts
npx vitest run
npx vitest run src/a.test.ts --coverage
npx jest --coverage
npx jest src/a.test.ts -t "parses"
npx playwright test
npx cowsay hello
node --version
node dist/cli.js --help
node scripts/build.mjs
node --test test/a.test.js
node -e "console.log(1)"
pnpm install
pnpm test
pnpm build
pnpm -r build
pnpm exec tsc
yarn
yarn test
yarn build
yarn lint
bun test
deno test
python3 --version
python3 -m pytest
python3 -m pytest -x -q tests/test_a.py
python3 -m pytest -k parser
python3 scripts/gen.py
python3 -m venv .venv
python3 -c "print(1)"
pytest
pytest -vv tests/test_a.py::test_b
pytest --cov=src
ruff check .
ruff format src
mypy src
black --check src
flake8 src
isort src
coverage run -m pytest
coverage report
tox -e py312
uv run pytest
uv sync
poetry run pytest
poetry install
pip list
pip install -r requirements.txt
go build ./...
go test ./...
go test -run TestParse ./parser
go vet ./...
go mod tidy
gofmt -l .
golangci-lint run
cargo build
cargo test
cargo test parser::tests
cargo clippy -- -D warnings
cargo fmt --check
cargo run -- --help
mvn -q test
mvn package -DskipTests
./gradlew build
./gradlew test --tests ParserTest
dotnet build
dotnet test
bundle exec rspec
bundle exec rubocop
rake test
composer install
vendor/bin/phpunit
php artisan test
mix test
make
make test
make clean
cmake -B build
cmake --build build
ctest --test-dir build
bash scripts/build.sh
./scripts/test.sh
ls
ls -la
ls -la src
ls src/*.ts
tree -L 2
pwd
cat package.json
cat README.md
cat src/a.ts
cat .env
head -50 src/a.ts
tail -20 out.log
wc -l src/a.ts
grep -rn TODO src
grep -n "export" src/a.ts
grep -rl parser src --include=*.ts
grep -i error out.log
rg TODO
rg -n "class \w+" src
rg --files src
find . -name "*.test.ts"
find src -type f -name "*.ts"
find . -name node_modules -prune -o -name "*.ts" -print
find . -name "*.tmp" -delete
sed -n 10,40p src/a.ts
sed -i s/a/b/ src/a.ts
awk '{print $1}' out.log
sort out.log
jq .scripts package.json
diff src/a.ts src/b.ts
file dist/app.bin
du -sh dist
df -h
which node
env
echo hello
mkdir -p src/new
touch src/new/a.ts
cp src/a.ts src/c.ts
mv src/c.ts src/d.ts
rm src/d.ts
rm -rf dist
chmod +x scripts/build.sh
cat src/a.ts | head -20
npm test 2>&1 | tail -40
npm run build && npm test
cd src && ls
grep -rn TODO src | wc -l
git log --oneline | head -5
ps aux | grep node
curl -s http://localhost:3000/health
curl -sL https://example.com/data.json
`
  .trim()
  .split('\n');
