package io.understudy.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LayoutTest {
    private static final Map<String, Object> VIEW = Map.of(
            "name",
            "one",
            "count",
            3,
            "share",
            0.125,
            "small",
            -2.0E-4,
            "off",
            false,
            "empty",
            "",
            "map",
            Map.of("a", 5),
            "rows",
            List.of(Map.of("x", 1), Map.of("x", 2), Map.of("x", 3)));

    private static String text(String template) {
        return new Layout(template).text(VIEW);
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = "=>",
            quoteCharacter = '~',
            value = {
                "{name:-5}{count:4d}! => one     3!",
                "{100 * share:.1f}% of {map.a:d} => 12.5% of 5",
                "<{nothing}> => <null>",
                "{small} {share} => -0.0002 0.125",
                "{nothing:d} {100 * nothing:4.1f} => 0  0.0",
                "{?count > 2 && !off}yes{:}no{/} => yes",
                "{?empty || nothing}yes{:}no{/} => no",
                "{?name == 'one'}a{/}{?count != 3}b{/}{?count >= 3}c{/} => ac",
                "{#rows}{?@ > 1}, {/}{x:d} of {^count}{/} => 1 of 3, 2 of 3, 3 of 3",
                "{#rows 2}{x:d}{/} of {size(rows)} => 12 of 3",
                "{#map}{a} {^name}{/} => 5 one",
                "{name + '-' + count} {10 - 2 * count:d} {(10 - 2) / 4:d} => one-3 4 2",
                "{counts(map)} {values(map)} {join(nothing)}{cut(name, 2)} => 5 a 5 o…",
                "a {{ and } => a { and }",
            })
    void aLineIsFilledIn(String template, String expected) {
        assertThat(text(template)).isEqualTo(expected + "\n");
    }

    @Test
    void aMissingValueHasItsPlace() {
        assertThat(text("{nothing * 2:6.1f|-}|{nothing:-4|?}|")).isEqualTo("     -|?   |\n");
    }

    @Test
    void linesOfTagsAreNoneAndALineMayGoOn() {
        assertThat(text("""
                {=row}<{x:d}>{/}
                first \\
                    half

                {?rows}
                {#rows 2}
                {>row .}
                {/}
                {>row rows} end  \s
                {:}
                none
                {/}
                """)).isEqualTo("first half\n\n<1><2><0> end\n");
    }

    @Test
    void whatComesFromOutsideAddsNoLine() {
        assertThat(new Layout("{name}|").text(Map.of("name", "a\nb\u001b[2J")))
                .hasLineCount(1)
                .doesNotContain("\u001b");
    }

    @Test
    void aMistakeInALayoutIsSaid() {
        for (String wrong : List.of("{?a}", "{/}", "{a", "{a b}", "{(a}", "{}")) {
            assertThatThrownBy(() -> new Layout(wrong)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> text("{nosuch(name)}")).hasMessageContaining("nosuch");
    }
}
