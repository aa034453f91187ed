"""Shipped programs from Python: PageRank under two modes of consistency, in a virtual cluster."""
import leeway as lw

graph = lw.generate("kron:10", directed=False)
strict = lw.pagerank(graph, nodes=8, fabric="sim", net="ec2", consistency="scp")
relaxed = lw.pagerank(graph, nodes=8, fabric="sim", net="ec2", consistency="rcp+push")
print(f"the best vertex has rank {strict.values.max():.4f}")
print(f"the ranks differ by at most {abs(strict.values - relaxed.values).max():.0e}")
print(f"strict consistency takes longer: {strict.seconds > relaxed.seconds}")
