-- About 1 MB in 10,000 rows of 100 bytes: the smallest rows of the benchmarks.
function thread_init()
    drv = sysbench.sql.driver()
    con = drv:connect()
end

function thread_done()
    con:disconnect()
end

function event()
    con:query("SELECT id, k, pad, LEFT(c, 22) FROM sbtest1 LIMIT 10000")
end
