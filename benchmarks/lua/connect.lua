-- One connection per event: connect, one statement, disconnect.
function thread_init()
    drv = sysbench.sql.driver()
end

function event()
    local con = drv:connect()
    con:query("SELECT 1")
    con:disconnect()
end
