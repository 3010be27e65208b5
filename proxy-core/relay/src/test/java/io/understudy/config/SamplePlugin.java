package io.understudy.config;

import io.understudy.base.ByteSize;
import io.understudy.base.RemovedKey;
import io.understudy.base.Secret;
import io.understudy.config.bind.Checks;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A plugin's configuration record with one component of every type that the binder supports. */
record SamplePlugin(
        Integer concurrency,
        Long total,
        Double factor,
        Boolean strict,
        Duration timeout,
        Order order,
        Queue queue,
        List<String> initSql,
        List<Rule> rules,
        Map<String, Integer> weights,
        Rate rate,
        @Nullable Secret password) {

    enum Order {
        NONE,
        BY_SESSION
    }

    @RemovedKey(name = "length", why = "statements are counted instead; set 'statements'")
    record Queue(Integer statements, ByteSize bytes) {
        Queue {
            statements = statements == null ? 10_000 : statements;
            bytes = bytes == null ? new ByteSize(64 << 20) : bytes;
        }
    }

    record Rule(String name, @Nullable Rate sample) {
        Rule {
            new Checks().required(name, "name", "what metrics call the rule").done();
        }
    }

    /** A value type that the binder supports only through its parse method. */
    public record Rate(double percent) {
        public static final String PATTERN = "^[0-9]{1,3}%$";
        public static final String EXAMPLE = "10%";

        public static Rate parse(String text) {
            if (!Pattern.matches("[0-9]{1,3}%", text)) {
                throw new IllegalArgumentException("expected a rate such as 10% but found '" + text + "'");
            }
            return new Rate(Double.parseDouble(text.substring(0, text.length() - 1)));
        }
    }

    SamplePlugin {
        concurrency = concurrency == null ? 16 : concurrency;
        total = total == null ? 5_000_000_000L : total;
        factor = factor == null ? 1.5 : factor;
        strict = strict != null && strict;
        timeout = timeout == null ? Duration.ofSeconds(5) : timeout;
        order = order == null ? Order.NONE : order;
        queue = queue == null ? new Queue(10_000, new ByteSize(64 << 20)) : queue;
        initSql = initSql == null ? List.of() : List.copyOf(initSql);
        rules = rules == null ? List.of() : List.copyOf(rules);
        weights = weights == null ? Map.of() : weights;
        rate = rate == null ? new Rate(10) : rate;
        if (concurrency < 1) {
            throw new IllegalArgumentException("concurrency must be at least 1 but is " + concurrency);
        }
    }
}
