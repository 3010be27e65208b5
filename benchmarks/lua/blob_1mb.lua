-- One row with one value of 1 MiB: large packets.
function thread_init()
    drv = sysbench.sql.driver()
    con = drv:connect()
end

function thread_done()
    con:disconnect()
end

function event()
    con:query("SELECT REPEAT('x', 1048576)")
end
