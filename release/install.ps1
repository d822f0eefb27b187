# Installs satchel on Windows: downloads the archive of this system, checks it, and
# puts the program into a folder of yours. It needs no administrator, and changes
# nothing else. satchel on Windows is a preview.
#
#   irm https://github.com/satchel-dev/satchel/releases/latest/download/install.ps1 | iex
#
#   $env:SATCHEL_VERSION       the version, such as v1.2.0 (the latest release)
#   $env:SATCHEL_INSTALL_DIR   the folder (%LOCALAPPDATA%\Programs\satchel)
#   $env:SATCHEL_SHA256        what the archive's SHA-256 has to be, besides what the release says
#   $env:SATCHEL_BASE_URL      where releases are, for mirrors and tests

function Install-Satchel {
    $ErrorActionPreference = 'Stop'
    $ProgressPreference = 'SilentlyContinue' # which makes downloads many times slower
    [Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12

    function Get-Asset($url, $file) {
        try { Invoke-WebRequest -UseBasicParsing -Uri $url -OutFile $file }
        catch { throw "cannot download ${url}: $($_.Exception.Message) (is there such a release?)" }
    }
    function Get-SatchelVersion($program) {
        $ErrorActionPreference = 'Continue' # else Windows PowerShell takes what it writes to standard error for a failure
        $said = try { & $program --version 2>$null | Select-Object -First 1 } catch { '' }
        if ($said -cmatch '^satchel (\S.*)$') { $Matches[1] } else { 'an unknown version' }
    }

    $base = if ($env:SATCHEL_BASE_URL) { $env:SATCHEL_BASE_URL } else { 'https://github.com/satchel-dev/satchel/releases' }
    if ($env:OS -ne 'Windows_NT') { throw 'this is for Windows; for Linux and macOS there is install.sh' }
    # A 32-bit shell sees the processor of the system in the second variable.
    $processor = if ($env:PROCESSOR_ARCHITEW6432) { $env:PROCESSOR_ARCHITEW6432 } else { $env:PROCESSOR_ARCHITECTURE }
    $arch = switch ($processor) {
        'AMD64' { 'amd64' }
        'ARM64' { 'arm64' }
        default { throw "no archive for Windows on $processor; there are: amd64 and arm64; for Linux and macOS there is install.sh; others: go install github.com/satchel-dev/satchel/cmd/satchel@latest" }
    }
    $tag = ''
    if ($env:SATCHEL_VERSION) {
        $tag = 'v' + ($env:SATCHEL_VERSION -creplace '^v', '')
        if ($tag -notmatch '^[0-9A-Za-z.+-]+$') { throw "SATCHEL_VERSION is $($env:SATCHEL_VERSION), which is no version such as v1.2.0" }
    }
    $dir = $env:SATCHEL_INSTALL_DIR
    if (-not $dir) {
        if (-not $env:LOCALAPPDATA) { throw 'LOCALAPPDATA is not set: say with SATCHEL_INSTALL_DIR where to install to' }
        $dir = Join-Path $env:LOCALAPPDATA 'Programs\satchel'
    }
    # What is relative is so to the folder of the shell, and not to that of its process.
    $dir = $ExecutionContext.SessionState.Path.GetUnresolvedProviderPathFromPSPath($dir)
    $target = Join-Path $dir 'satchel.exe'

    # A folder that nothing can be put into is said before anything is downloaded.
    try { [IO.Directory]::CreateDirectory($dir) | Out-Null }
    catch { throw "cannot make the folder ${dir}; name another one with SATCHEL_INSTALL_DIR" }
    if (Test-Path -LiteralPath $target -PathType Container) { throw "$target is a folder; name another one than $dir with SATCHEL_INSTALL_DIR" }
    $staged = Join-Path $dir ".satchel-install-$PID.exe"
    try { [IO.File]::WriteAllText($staged, '') }
    catch { throw "cannot write into ${dir}; name another folder with SATCHEL_INSTALL_DIR" }

    $temp = Join-Path ([IO.Path]::GetTempPath()) "satchel-install-$([Guid]::NewGuid())"
    try {
        [IO.Directory]::CreateDirectory($temp) | Out-Null
        $list = Join-Path $temp 'checksums.txt'
        if ($tag) { Get-Asset "$base/download/$tag/checksums.txt" $list } else { Get-Asset "$base/latest/download/checksums.txt" $list }

        $lines = @(Get-Content -LiteralPath $list | ForEach-Object { $_.TrimEnd() } | Where-Object { $_ -match '^[0-9a-f]{64}  \S+$' })
        if ($lines.Count -eq 0) { throw "checksums.txt of the release is no list of SHA-256 sums: something else answered for $base" }
        $pattern = "^([0-9a-f]{64})  (satchel_([0-9A-Za-z.+-]+)_windows_${arch}(?:_preview)?\.zip)$"
        $line = $lines | Where-Object { $_ -cmatch $pattern } | Select-Object -First 1
        if (-not $line) {
            $has = ($lines | ForEach-Object { ($_ -split '  ')[1] } | Where-Object { $_ -match '\.(tar\.gz|zip)$' }) -join ', '
            throw "the release has no archive for windows_${arch}; it has: $has"
        }
        $null = $line -cmatch $pattern
        $want, $archive, $new = $Matches[1], $Matches[2], "v$($Matches[3])"
        if ($tag -and $new -cne $tag) { throw "$tag was asked for, and checksums.txt there is of $new" }

        $file = Join-Path $temp $archive
        Get-Asset "$base/download/$new/$archive" $file
        $got = (Get-FileHash -Algorithm SHA256 -LiteralPath $file).Hash.ToLowerInvariant()
        if ($got -ne $want) { throw "$archive has SHA-256 $got, checksums.txt says ${want}: it is damaged or not what was released; nothing was installed" }
        if ($env:SATCHEL_SHA256 -and $got -ne $env:SATCHEL_SHA256) { throw "$archive has SHA-256 $got, SATCHEL_SHA256 says $($env:SATCHEL_SHA256); nothing was installed" }

        $out = Join-Path $temp 'out'
        $program = Join-Path $out 'satchel.exe'
        try { Expand-Archive -LiteralPath $file -DestinationPath $out -ErrorAction Stop } # a script, which does not see the preference above
        catch { throw "cannot unpack ${archive}: $($_.Exception.Message)" }
        if (-not (Test-Path -LiteralPath $program -PathType Leaf)) { throw "cannot unpack ${archive}: there is no satchel.exe in it" }
        if ((Get-SatchelVersion $program) -cne $new) { throw "the program in $archive does not run here, or is not $new; nothing was installed" }

        $said = "installed satchel $new as $target"
        try { Copy-Item -Force -LiteralPath $program -Destination $staged }
        catch { throw "cannot write into ${dir}: $($_.Exception.Message)" }
        $aside = "$target.old-$PID"
        if (Test-Path -LiteralPath $target) {
            $old = Get-SatchelVersion $target
            $said = if ($old -ceq $new) { "installed satchel $new again as $target" } else { "${said}: $old -> $new" }
            # A program that runs can be renamed, and not replaced. What was renamed before is gone by now, or runs still.
            Get-ChildItem -LiteralPath $dir -Filter 'satchel.exe.old-*' | Remove-Item -Force -ErrorAction SilentlyContinue
            try { [IO.File]::Move($target, $aside) }
            catch { throw "cannot write ${target}: $($_.Exception.Message)" }
        }
        try { [IO.File]::Move($staged, $target) }
        catch {
            $why = $_.Exception.Message
            if (Test-Path -LiteralPath $aside) { [IO.File]::Move($aside, $target) }
            throw "cannot write ${target}: $why"
        }
        Remove-Item -Force -LiteralPath $aside -ErrorAction SilentlyContinue
        Write-Output $said
    } finally {
        Remove-Item -Recurse -Force -LiteralPath $temp, $staged -ErrorAction SilentlyContinue
    }

    $folders = @($env:PATH -split ';' | ForEach-Object { $_.Trim('"').TrimEnd('\') })
    if ($folders -contains $dir.TrimEnd('\')) {
        $found = Get-Command satchel -CommandType Application -ErrorAction SilentlyContinue | Select-Object -First 1
        if ($found -and $found.Source -ne $target) { Write-Output "but the shell finds $($found.Source) first: remove it, or put $dir before it in PATH" }
    } else {
        Write-Output "$dir is not in PATH; this line adds it for you, in shells that are opened afterwards:"
        Write-Output "  [Environment]::SetEnvironmentVariable('Path', '$($dir.Replace("'", "''"));' + [Environment]::GetEnvironmentVariable('Path', 'User'), 'User')"
    }
}

# Run when all of the script has arrived.
try { Install-Satchel }
catch {
    [Console]::Error.WriteLine("satchel install: $($_.Exception.Message)")
    if ($MyInvocation.MyCommand.Path) { exit 1 } # a shell that reads it by iex goes on
}
