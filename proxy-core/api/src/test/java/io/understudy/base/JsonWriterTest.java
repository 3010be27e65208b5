package io.understudy.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class JsonWriterTest {

    private record Inner(String name, Duration lag) {}

    private record Outer(int id, Inner inner, List<Inner> more, Optional<String> note) {}

    @Test
    void writesRecordsByComponentName() {
        Inner inner = new Inner("standby-1", Duration.ofMillis(1500));
        assertThat(JsonWriter.write(new Outer(7, inner, List.of(inner), Optional.empty())))
                .isEqualTo("{\"id\":7,\"inner\":{\"name\":\"standby-1\",\"lag\":\"PT1.5S\"},"
                        + "\"more\":[{\"name\":\"standby-1\",\"lag\":\"PT1.5S\"}],\"note\":null}");
    }

    @Test
    void writesMapsArraysAndNumbers() {
        Map<Object, Object> map = new LinkedHashMap<>();
        map.put("a", new long[] {1, Long.MAX_VALUE});
        map.put(2, Arrays.asList(null, true, 1.5, Double.NaN, Float.POSITIVE_INFINITY));
        map.put("empty", List.of());
        map.put("none", Map.of());
        assertThat(JsonWriter.write(map))
                .isEqualTo("{\"a\":[1,9223372036854775807],\"2\":[null,true,1.5,null,null],\"empty\":[],\"none\":{}}");
    }

    @Test
    void escapesCharactersUnsafeInJsonAndScripts() {
        assertThat(JsonWriter.write("a\"b\\c\n\t\u0001</script>\u2028é\uD83D\uDE00\uD83D"))
                .isEqualTo("\"a\\\"b\\\\c\\n\\t\\u0001\\u003C/script>\\u2028é\uD83D\uDE00\uFFFD\"");
    }

    @Test
    void refusesLoopsInsteadOfFillingTheMemory() {
        List<Object> loop = new ArrayList<>();
        loop.add(loop);
        assertThatThrownBy(() -> JsonWriter.write(loop))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("nested deeper");
        List<String> wide = java.util.Collections.nCopies(20, "x".repeat(1 << 20));
        assertThatThrownBy(() -> JsonWriter.write(wide))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("longer than");
    }
}
