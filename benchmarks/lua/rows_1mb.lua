-- About 1 MB in 5,400 rows of 194 bytes: many small packets in one response.
function thread_init()
    drv = sysbench.sql.driver()
    con = drv:connect()
end

function thread_done()
    con:disconnect()
end

function event()
    con:query("SELECT id, k, c, pad FROM sbtest1 LIMIT 5400")
end
