#!/usr/bin/python3
"""Tests the vectors: alters Spec/reader/qvault_reader.py in one place at a time; some vector must fail each time.

usage: reader-mutants.py [NUMBER…]     (all mutants, or these)

A mutant turns a comparison round, drops one side of `and` or `or`, drops a `not`, adds 1 to a number, or lets a check
(`require`) always pass. Mutants that no vector notices are printed. The exit status is 1 if that is more than one in ten.
"""

import ast, concurrent.futures, copy, functools, glob, hashlib, multiprocessing, os, random, sys

ROOT = os.path.abspath(f"{__file__}/../../..")
READER = f"{ROOT}/Spec/reader/qvault_reader.py"
VECTORS = sorted(glob.glob(f"{ROOT}/TestVectors/*.vector"))
# The functions that run the vectors or print are not part of the reader.
HARNESS = {"read_all", "written", "run_unpacking", "outcomes", "run_vector", "warn", "visible", "ask_password", "run"}
TURNED = {ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
          ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is}


def changes(node):
    """The nodes that may replace a node."""
    if isinstance(node, ast.Compare):
        for index, operator in enumerate(node.ops):
            other = copy.deepcopy(node)
            other.ops[index] = TURNED[type(operator)]()
            yield other
    elif isinstance(node, ast.BoolOp):
        for index in range(len(node.values)):
            rest = node.values[:index] + node.values[index + 1:]
            yield rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield ast.Constant(node.value + 1)
    elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "require":
        yield ast.Call(node.func, [ast.Constant(True)] + node.args[1:], node.keywords)


class Swap(ast.NodeTransformer):
    def __init__(self, old, new):
        self.old, self.new = old, new

    def visit(self, node):
        return self.new if node is self.old else super().visit(node)


def mutants(tree):
    """Line, old and new text, and a function that gives the source of each mutant."""
    for part in tree.body:
        # Exit codes are for people.
        is_harness = getattr(part, "name", "") in HARNESS or isinstance(part, ast.If) or ast.unparse(part).startswith("EXIT")
        for node in [] if is_harness else ast.walk(part):
            for new in changes(node):
                yield node, new


def described(node, new):
    if isinstance(node, ast.BoolOp):
        rest = new.values if isinstance(new, ast.BoolOp) else [new]
        dropped = next(value for value in node.values if value not in rest)
        return f"without {ast.unparse(dropped)[:120]}"
    return f"{ast.unparse(node)[:90]}  ->  {ast.unparse(new)[:90]}"


def judge(number, answer):
    """Sends where the mutant is, and then whether some vector fails."""
    tree = ast.parse(open(READER, encoding="utf-8").read())
    node, new = list(mutants(tree))[number]
    answer.send(f"{number:4} line {node.lineno}: {described(node, new)}")
    source = ast.unparse(ast.fix_missing_locations(Swap(node, new).visit(tree)))
    names = {"__name__": "mutant", "__doc__": ""}
    sys.stdout = sys.stderr = open(os.devnull, "w")
    try:
        exec(compile(source, READER, "exec"), names)
        answer.send(not all(names["run_vector"](path) for path in VECTORS))
    except BaseException:
        answer.send(True)


def is_noticed(number):
    """Runs a mutant in a process of its own. One that goes on for ever is noticed, and killed: it may be in C code."""
    answer, sender = multiprocessing.Pipe(False)
    process = multiprocessing.Process(target=judge, args=(number, sender))
    process.start()
    where = answer.recv()
    result = not answer.poll(120) or answer.recv()
    process.kill()
    process.join()
    return where, result


def warm():
    """Runs the reader as it is, so that the mutants find the keys of passwords made."""
    hashlib.pbkdf2_hmac = functools.cache(hashlib.pbkdf2_hmac)
    # Neighbours are alike: in another order the one that notices comes earlier.
    random.Random(1).shuffle(VECTORS)
    names = {"__name__": "reader", "__doc__": ""}
    exec(compile(open(READER, encoding="utf-8").read(), READER, "exec"), names)
    output, sys.stdout = sys.stdout, open(os.devnull, "w")
    passed = all([names["run_vector"](path) for path in VECTORS])
    sys.stdout = output
    if not passed:
        sys.exit("the reader fails without any mutant")


def main():
    warm()
    count = len(list(mutants(ast.parse(open(READER, encoding="utf-8").read()))))
    wanted = [int(word) for word in sys.argv[1:]] or range(count)
    noticed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for where, result in pool.map(is_noticed, wanted):
            noticed += result
            if not result:
                print(where, flush=True)
    print(f"{noticed} of {len(wanted)} mutants noticed ({100 * noticed / len(wanted):.1f} %)")
    sys.exit(noticed < 0.9 * len(wanted))


main()
