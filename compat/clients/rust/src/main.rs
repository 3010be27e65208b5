// The script of the client matrix for mysql_async: clients HOST PORT USER PASSWORD TLS
use mysql_async::{prelude::*, Error, Opts, OptsBuilder, SslOpts};

fn number(e: &Error) -> String {
    match e {
        Error::Server(s) => format!("{} {} {}", s.code, s.state, s.message),
        other => other.to_string(),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let a: Vec<String> = std::env::args().collect();
    let mut o = OptsBuilder::default()
        .ip_or_hostname(a[1].clone())
        .tcp_port(a[2].parse().unwrap())
        .user(Some(a[3].clone()))
        .pass(Some(a[4].clone()))
        .db_name(Some("test"))
        .max_allowed_packet(Some(1 << 26))
        .prefer_socket(false);
    if a[5] == "on" {
        o = o.ssl_opts(Some(SslOpts::default().with_danger_accept_invalid_certs(true).with_danger_skip_domain_validation(true)));
    }
    let mut c = match mysql_async::Conn::new(Opts::from(o)).await {
        Ok(c) => c,
        Err(e) => {
            println!("connect refused: {}", number(&e));
            return Ok(());
        }
    };
    println!("connect ok");
    let row: (String, Option<String>, String, String) = c.query_first("SELECT 1, NULL, 'héllo', 2.50").await?.unwrap();
    println!("query {:?}", row);
    let s = c.prep("SELECT ? * 2").await?;
    for n in [20, 21] {
        let v: Option<mysql_async::Value> = c.exec_first(&s, (n,)).await?;
        println!("prepare {:?}", v);
    }
    c.query_drop("CREATE TEMPORARY TABLE m (a INT, b LONGBLOB)").await?;
    c.exec_batch("INSERT INTO m VALUES (?, ?)", (0..100).map(|i| (i, "x"))).await?;
    let sum: Option<(i64, i64)> = c.query_first("SELECT COUNT(*), CAST(SUM(a) AS SIGNED) FROM m").await?;
    println!("sum {:?}", sum);
    let big: Vec<u8> = (0..256 * 20480).map(|i| i as u8).collect();
    c.query_drop("START TRANSACTION").await?;
    c.exec_drop("INSERT INTO m VALUES (?, ?)", (1000, &big)).await?;
    let value: Option<Vec<u8>> = c.query_first("SELECT b FROM m WHERE a = 1000").await?;
    println!("big {}", value.map(|v| v == big).unwrap_or(false));
    c.query_drop("ROLLBACK").await?;
    let count: Option<i64> = c.query_first("SELECT COUNT(*) FROM m").await?;
    println!("rollback {:?}", count);
    for sql in ["SELEC", "SELECT * FROM nosuch"] {
        println!("error {}", c.query_drop(sql).await.err().map(|e| number(&e)).unwrap_or_default());
    }
    let after: Option<String> = c.query_first("SELECT 'still here'").await?;
    println!("after {:?}", after);
    c.disconnect().await?;
    println!("closed");
    Ok(())
}
