import io.r2dbc.spi.Connection;
import io.r2dbc.spi.ConnectionFactories;
import io.r2dbc.spi.ConnectionFactoryOptions;
import io.r2dbc.spi.Option;
import io.r2dbc.spi.R2dbcException;
import io.r2dbc.spi.Statement;
import java.util.Arrays;
import java.util.List;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The script of the client matrix for R2DBC: R2dbc PROFILE HOST PORT USER PASSWORD TLS */
public final class R2dbc {
    private static Connection db;

    public static void main(String[] a) {
        boolean tls = a[5].equals("on");
        boolean maria = a[0].equals("r2dbc-mariadb");
        ConnectionFactoryOptions options = ConnectionFactoryOptions.builder()
                .option(ConnectionFactoryOptions.DRIVER, maria ? "mariadb" : "mysql")
                .option(ConnectionFactoryOptions.HOST, a[1])
                .option(ConnectionFactoryOptions.PORT, Integer.parseInt(a[2]))
                .option(ConnectionFactoryOptions.USER, a[3])
                .option(ConnectionFactoryOptions.PASSWORD, a[4])
                .option(ConnectionFactoryOptions.DATABASE, "test")
                .option(Option.valueOf("sslMode"), maria ? tls ? "TRUST" : "DISABLE" : tls ? "REQUIRED" : "DISABLED")
                .option(Option.valueOf("allowPublicKeyRetrieval"), "true")
                .build();
        try {
            db = Mono.from(ConnectionFactories.get(options).create()).block();
        } catch (R2dbcException e) {
            System.out.println("connect refused: " + e.getErrorCode() + " " + e.getSqlState());
            System.exit(0);
        }
        System.out.println("connect ok");
        System.out.println("query " + query("SELECT 1, NULL, 'héllo', 2.50", 4));
        for (int n : new int[] {20, 21}) {
            System.out.println("prepare " + Mono.from(db.createStatement("SELECT ? * 2").bind(0, n).execute())
                    .flatMap(r -> Mono.from(r.map((row, m) -> ((Number) row.get(0)).intValue()))).block());
        }
        run("CREATE TEMPORARY TABLE m (a INT, b LONGBLOB)");
        Statement batch = db.createStatement("INSERT INTO m VALUES (?, ?)");
        for (int i = 0; i < 100; i++) {
            batch.bind(0, i).bind(1, "x");
            if (i < 99) {
                batch.add();
            }
        }
        System.out.println("batch "
                + Flux.from(batch.execute())
                        .concatMap(r -> r.getRowsUpdated())
                        .map(Number::longValue)
                        .reduce(0L, Long::sum)
                        .block());
        System.out.println("sum " + query("SELECT COUNT(*), SUM(a) FROM m", 2));
        byte[] big = new byte[256 * 20480];
        for (int i = 0; i < big.length; i++) {
            big[i] = (byte) i;
        }
        Mono.from(db.beginTransaction()).block();
        Flux.from(db.createStatement("INSERT INTO m VALUES (?, ?)")
                        .bind(0, 1000)
                        .bind(1, big)
                        .execute())
                .concatMap(r -> r.getRowsUpdated())
                .blockLast();
        System.out.println("big " + Mono.from(db.createStatement("SELECT b FROM m WHERE a = 1000").execute())
                .flatMap(r -> Mono.from(r.map((row, m) -> Arrays.equals(row.get(0, byte[].class), big)))).block());
        Mono.from(db.rollbackTransaction()).block();
        System.out.println("rollback " + query("SELECT COUNT(*) FROM m", 1));
        for (String sql : List.of("SELEC", "SELECT * FROM nosuch")) {
            try {
                run(sql);
                System.out.println("no error");
            } catch (R2dbcException e) {
                System.out.println("error " + e.getErrorCode() + " " + e.getSqlState() + " " + e.getMessage());
            }
        }
        System.out.println("after " + query("SELECT 'still here'", 1));
        Mono.from(db.close()).block();
        System.out.println("closed");
        System.exit(0);
    }

    private static void run(String sql) {
        Flux.from(db.createStatement(sql).execute()).concatMap(r -> r.getRowsUpdated()).blockLast();
    }

    private static String query(String sql, int columns) {
        return Mono.from(db.createStatement(sql).execute())
                .flatMap(r -> Mono.from(r.map((row, m) -> {
                    StringBuilder text = new StringBuilder();
                    for (int i = 0; i < columns; i++) {
                        text.append(row.get(i)).append(' ');
                    }
                    return text.toString();
                }))).block();
    }
}
