package io.understudy.sql;
import java.util.List;
import org.jspecify.annotations.Nullable;
public final class SetStatement {
  public enum Scope { SESSION, GLOBAL, USER }
  public record Assignment(Scope scope, String name, @Nullable String literalValue) {}
  public List<Assignment> assignments() { return List.of(); }
  public static @Nullable SetStatement parse(byte[] t, int o, int l, int m) { return new SetStatement(); }
}
